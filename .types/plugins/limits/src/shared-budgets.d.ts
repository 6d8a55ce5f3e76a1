import { type Amount, type Budgets, type Failure, type Result } from '@amodal/sdk';
import { z } from 'zod';
import { type Accounts } from './accounts.ts';
/** What model calls may take: of one principal in one tenant, and of all of a tenant together. Days and months are those of UTC. */
export declare const BudgetSettings: z.ZodObject<{
    principal: z.ZodExactOptional<z.ZodObject<{
        tokens: z.ZodExactOptional<z.ZodInt>;
        cost: z.ZodExactOptional<z.ZodNumber>;
        per: z.ZodDefault<z.ZodEnum<{
            day: "day";
            month: "month";
        }>>;
    }, z.core.$strict>>;
    tenant: z.ZodExactOptional<z.ZodObject<{
        tokens: z.ZodExactOptional<z.ZodInt>;
        cost: z.ZodExactOptional<z.ZodNumber>;
        per: z.ZodDefault<z.ZodEnum<{
            day: "day";
            month: "month";
        }>>;
    }, z.core.$strict>>;
    waitSeconds: z.ZodDefault<z.ZodNumber>;
}, z.core.$strict>;
export type BudgetSettings = z.output<typeof BudgetSettings>;
type Who = Parameters<Budgets['reserve']>[0];
/** Budgets of principals and tenants: what a call may take is set aside before it is made. */
export declare class SharedBudgets implements Budgets {
    #private;
    readonly active: boolean;
    constructor(settings: BudgetSettings, accounts: Accounts, warn: (problem: Failure) => void);
    reserve(who: Who, most: Amount, least: Amount, signal: AbortSignal): ReturnType<Budgets['reserve']>;
    /** Prolongs what is set aside here, and gives back what processes that are gone had set aside. */
    tend(): Promise<Result<void, Failure>>;
}
export {};
