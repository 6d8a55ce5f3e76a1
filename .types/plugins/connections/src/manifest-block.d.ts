import { type JsonObject } from '@amodal/sdk';
import { type Issues, type JsonFile } from '@amodal/sdk/files';
/** What `connections` of the manifest says of each connection, by its name; a block that is no object is told. */
export declare function manifestBlocks(manifest: JsonFile, issues: Issues): ReadonlyMap<string, JsonObject>;
/**
 * A `spec.json` with what the manifest says over it, so that credentials and addresses can stand in one place. Each value knows the
 * file that it stands in.
 */
export declare function withBlock(spec: JsonFile<JsonObject>, name: string, block: JsonObject, manifest: JsonFile): JsonFile<JsonObject>;
/** A connection that stands in the manifest alone. */
export declare function blockAlone(name: string, block: JsonObject, manifest: JsonFile): JsonFile<JsonObject>;
