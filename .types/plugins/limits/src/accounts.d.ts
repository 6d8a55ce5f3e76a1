import { type Failure, type Result } from '@amodal/sdk';
/** What is set aside by this process begins with it, whichever kernel in it that is. */
export declare const PROCESS: string;
/** Whole tokens and billionths of a dollar. */
export interface Sum {
    readonly tokens: number;
    readonly cost: number;
}
/** One budget of somebody in one window of time. */
export interface Account {
    /** A hash of whose it is, and of when it began. */
    readonly key: string;
    readonly most: {
        readonly tokens?: number;
        readonly cost?: number;
    };
    /** ms since the epoch. */
    readonly ends: number;
}
/** `later`: it would fit once others give back what they do not need. */
export type Taken = 'held' | 'later' | 'never';
/** Where budgets are kept: what was taken, and what is set aside. All accounts of a hold, or none of them. */
export interface Accounts {
    hold(id: string, accounts: readonly Account[], amount: Sum): Promise<Result<Taken, Failure>>;
    /** Writes down what was taken in place of what was set aside, also where that was given back meanwhile. */
    settle(id: string, accounts: readonly Account[], spent: Sum): Promise<Result<void, Failure>>;
    /** Called every so often: prolongs these, gives back those of processes that are gone, forgets windows that are over. */
    tend(open: readonly string[]): Promise<Result<void, Failure>>;
}
export declare const fits: (sum: Sum, { tokens, cost }: Account['most']) => boolean;
/** Accounts of one process: they begin anew with it. */
export declare class MemoryAccounts implements Accounts {
    #private;
    hold(id: string, accounts: readonly Account[], amount: Sum): ReturnType<Accounts['hold']>;
    settle(id: string, accounts: readonly Account[], spent: Sum): ReturnType<Accounts['settle']>;
    tend(): ReturnType<Accounts['tend']>;
}
