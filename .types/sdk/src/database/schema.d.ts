import { type Failure, type Result } from '@amodal/kernel';
import type { MigrationList } from '../ports/database.ts';
import { type Migrated, type MigrationTarget } from './migrate.ts';
export type MigrationLists = ReadonlyMap<string, MigrationList>;
/**
 * Keeps a database at the migrations of the wiring that uses it. A reload that brings new lists is noticed at the
 * next statement; while nothing changed, asking costs a comparison of two references.
 */
export declare class Schema {
    #private;
    /**
     * @param lists the registry of the current generation: the same map until it changes
     * @param migrated told what was applied
     * @param life ends an attempt when the database closes; a caller that gives up does not
     */
    constructor(lists: () => MigrationLists, target: MigrationTarget, migrated: (done: Migrated) => void, life: AbortSignal);
    /** Nothing is left to do. */
    get current(): boolean;
    /** Migrates if it has to; callers at the same time share one attempt. A failed one is tried again by the next caller. */
    ensure(): Promise<Result<void, Failure>>;
}
