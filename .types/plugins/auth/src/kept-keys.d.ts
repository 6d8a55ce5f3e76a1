import { type Database, type Failure, type Logger, type Result } from '@amodal/sdk';
import { type KnownKey } from './api-key.ts';
import type { ApiKeys } from './tokens.ts';
/**
 * The keys in the database, all of them in memory: a key that is not there takes as long as one that is, and known
 * ones count while the database is away.
 */
export declare class KeptKeys implements ApiKeys {
    #private;
    constructor(database: Database, log: Logger);
    /** Whether there ever was a key; `undefined` until they were read once. */
    get any(): boolean | undefined;
    /** Reads them, and again when another instance changes them. Returns what ends that. */
    watch(): () => void;
    /** Reads them once; callers at the same time share it. */
    read(): Promise<Result<void, Failure>>;
    find(id: string): KnownKey | undefined;
    create({ name, roles, scopes, tenant, expiresAt }: Parameters<ApiKeys['create']>[0], signal: AbortSignal): ReturnType<ApiKeys['create']>;
    list(signal: AbortSignal): ReturnType<ApiKeys['list']>;
    revoke(id: string, signal: AbortSignal): ReturnType<ApiKeys['revoke']>;
}
/** Where no key is kept. */
export declare const NO_KEPT_KEYS: ApiKeys;
