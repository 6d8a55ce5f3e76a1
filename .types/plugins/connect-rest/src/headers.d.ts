import { type Json, type Result } from '@amodal/sdk';
/** Headers by which a request says that it is another one. */
export declare const OVERRIDES: string[];
/**
 * Headers of a caller, names in lower case.
 *
 * @param own headers that the connection fills itself, in lower case: nobody else may
 */
export declare function canonicalHeaders(given: Json | undefined, own: ReadonlySet<string>): Result<Readonly<Record<string, string>>, string>;
