import type { Engine } from './engine.ts';
/**
 * Rewrites tables, and the write-ahead log: a segment that is used again keeps its old bytes until it is written over, so
 * all that there are, also those made in advance, are gone through and then removed.
 */
export declare function purgeTables(engine: Engine, tables: readonly string[]): Promise<void>;
