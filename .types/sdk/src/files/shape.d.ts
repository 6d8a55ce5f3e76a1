import type { z } from 'zod';
import type { Issues } from './issues.ts';
import { type JsonFile, type Path } from './json-file.ts';
/**
 * Checks the value at a path of a file against a schema. Each thing that does not fit becomes an issue
 * with its line; the result is `undefined` then.
 */
export declare function shaped<S extends z.ZodType>(schema: S, json: JsonFile, at: Path, issues: Issues): z.output<S> | undefined;
/** Tells of names that nothing reads, with the one that was probably meant: a warning, and of one that sounds like a protection an error. */
export declare function warnUnknown(json: JsonFile, at: Path, known: readonly string[], issues: Issues): void;
