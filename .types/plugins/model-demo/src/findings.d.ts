import type { Json } from '@amodal/sdk';
import type { Field } from './schema.ts';
import type { Tool } from './turn.ts';
export declare const ID_NAMES: Set<string>;
export declare const TEXT_NAMES: Set<string>;
/**
 * What a message says of each parameter of a tool, surest first.
 *
 * @param known values that look like ids and are none
 * @param named only what the message says by the parameter's name or value, no guesses
 */
export declare function findings(tool: Tool, text: string, known: readonly string[], named: boolean): Generator<readonly [string, Json]>;
/** A parameter for free text, of one of these names where they are given. */
export declare function isText(field: Field, names?: ReadonlySet<string>): boolean;
