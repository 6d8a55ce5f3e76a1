import { type Place, type Understood } from './understood.ts';
/** A dump of a database: what it inserts, by the columns it names. Anything else in it is not understood. */
export declare function readSql(text: string, _place: Place): Understood | undefined;
