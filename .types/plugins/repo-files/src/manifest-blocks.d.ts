import type { JsonObject } from '@amodal/sdk';
import { type Issues, type JsonFile } from '@amodal/sdk/files';
/** Names of the fields above. */
export declare const BLOCKS: readonly string[];
/** Checks the blocks that are not read here, and tells which of them nobody reads. */
export declare function checkBlocks(json: JsonFile<JsonObject>, issues: Issues): boolean;
