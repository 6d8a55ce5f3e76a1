import type { Database, Failure, Result, Row } from '@amodal/sdk';
/** ms between two rounds. */
export declare const FORGET_MS: number;
/** Forgets the keys of writes that nobody will repeat any more. Those of seed documents stay: forgotten, the documents would come back. */
export declare function forgetCalls(database: Database, days: number): Promise<Result<readonly Row[], Failure>>;
