import type { BundleFile, JsonObject } from '@amodal/sdk';
import type { JsonFile } from '@amodal/sdk/files';
/** What code says of a tool, as a file that knows its lines, so that it is read and found fault with like a tool.json. */
export declare function codeDefinition({ path: file, text }: BundleFile, value: JsonObject): JsonFile<JsonObject>;
/** A tool.json and code that both define a tool: the file counts, but of two approvals the stricter one. */
export declare function joinedDefinition(file: JsonFile<JsonObject>, code: JsonFile<JsonObject>): JsonFile<JsonObject>;
