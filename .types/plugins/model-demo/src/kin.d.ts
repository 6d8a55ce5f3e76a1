import type { JsonObject } from '@amodal/sdk';
import type { Field } from './schema.ts';
import type { Tool } from './turn.ts';
/**
 * What a value of a reader's parameter stands for, told by another tool that names it: the schema of
 * `store_deals` describes what `query_store` finds for `deals`.
 */
export type Kin = ReadonlyMap<string, readonly Field[]>;
export declare function kinOf(reader: Tool, tools: readonly Tool[]): Kin;
/** Stems of the names and values of some fields. */
export declare function wordsAbout(fields: readonly Field[]): {
    readonly names: ReadonlySet<string>;
    readonly values: ReadonlySet<string>;
};
/** Of several values those whose fields a text speaks of; all of them where it speaks of none. */
export declare function spokenOf(values: readonly string[], kin: Kin, text: string): readonly string[];
/** Equality with each listed value and flag that a text names, for a reader that takes any fields as its filter. */
export declare function filterFor(reader: Tool, described: readonly Field[], text: string): JsonObject;
