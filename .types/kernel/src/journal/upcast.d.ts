import { type Failure } from '../errors.ts';
import { type Result } from '../result.ts';
import { type EntryKind, type Placed, type StoredEntry } from './entry.ts';
type Body = Readonly<Record<string, unknown>>;
type Upcasters = Readonly<Partial<Record<EntryKind, readonly ((body: Body) => Body)[]>>>;
/**
 * Pure functions from version `v` to `v + 1`, per kind, in order from version 1.
 * They only ever grow: a fixture of every past version stays in the tests.
 */
export declare const UPCASTERS: Upcasters;
/** Reads a stored entry in whatever version it was written. An unknown newer one is refused: guessing would lose facts. */
export declare function readEntry({ seq, body: text, sealed }: StoredEntry, upcasters?: Upcasters): Result<Placed, Failure>;
export declare function readEntries(stored: readonly StoredEntry[]): Result<readonly Placed[], Failure>;
export {};
