import { z } from 'zod';
/** The fields of an `AGENT.md`. */
export declare const FIELDS: Readonly<Record<string, z.ZodType>>;
/** Other spellings that are in use. */
export declare const SPELLINGS: Readonly<Record<string, string>>;
/** Names that other engines have, and where the same is said here. */
export declare const ELSEWHERE: Readonly<Record<string, string>>;
/** The same in words, for whoever wrote something else. */
export declare const LIMITS: Readonly<Record<string, string>>;
