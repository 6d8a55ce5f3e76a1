import { type Json } from '@amodal/sdk';
import type { Shaping } from './custom-tool.ts';
/**
 * Makes a small result from a large one: `pick` keeps paths, `rename` puts a path under a name at the top, `template`
 * writes a text. A list is shaped item by item.
 *
 * @example
 * shape({ status: { phase: 'Running' } }, { pick: ['status.phase'], rename: { 'status.phase': 'phase' } }) // { phase: 'Running' }
 */
export declare function shape(value: Json, shaping: Shaping | undefined): Json;
