import { type Database } from '@amodal/sdk';
import { type Account, type Accounts, type Sum } from './accounts.ts';
/** Accounts that all instances share, and that outlive them. */
export declare class DatabaseAccounts implements Accounts {
    #private;
    constructor(database: Database);
    hold(id: string, accounts: readonly Account[], amount: Sum): ReturnType<Accounts['hold']>;
    settle(id: string, accounts: readonly Account[], { tokens, cost }: Sum): ReturnType<Accounts['settle']>;
    tend(open: readonly string[]): ReturnType<Accounts['tend']>;
}
