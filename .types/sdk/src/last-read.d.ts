import type { Failure, Logger, Result } from '@amodal/kernel';
import type { Database } from './ports/database.ts';
/** How other instances on the same database hear of a change; `name` says whose values these are. */
export interface ReadElsewhere {
    readonly database: Database;
    readonly name: string;
    readonly log: Logger;
}
/**
 * Values as they were last read, so that a turn for which nothing has changed costs no statement. Whoever changes one says
 * so with `changed`, here and on the other instances.
 *
 * @example
 * const notes = await kept.get(owner, () => store.list(signal))
 */
export declare class LastRead<T> {
    #private;
    /** @param elsewhere left out where this process alone has the values */
    constructor(elsewhere?: ReadElsewhere);
    /** Hears what others have changed. @returns ends it */
    listen(): (() => void) | undefined;
    /** @param key whose value it is; a failure is not kept */
    get(key: string, read: () => Promise<Result<T, Failure>>): Promise<Result<T, Failure>>;
    changed(key: string): void;
}
