import { type JsonObject, type RestSpec } from '@amodal/sdk';
import { type Issues, type JsonFile } from '@amodal/sdk/files';
/** Reads `spec.json` of an HTTP connection. */
export declare function readRestSpec(json: JsonFile<JsonObject>, issues: Issues): RestSpec | undefined;
