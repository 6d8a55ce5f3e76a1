import type { JsonObject } from '@amodal/sdk';
import type { Field } from './schema.ts';
import type { Tool } from './turn.ts';
export interface Filling {
    /** One set of arguments per call: several where a message names no value of a required set, or more than one. */
    readonly calls: readonly JsonObject[];
    /** Required, and not found. */
    readonly missing: readonly Field[];
}
/**
 * Fills the arguments of a tool from a message. Nothing is invented but the id of a new record that has a name.
 *
 * @param base a record that is to be changed: only what the message names is taken in its place
 */
export declare function fill(tool: Tool, text: string, tools: readonly Tool[], base?: JsonObject): Filling;
