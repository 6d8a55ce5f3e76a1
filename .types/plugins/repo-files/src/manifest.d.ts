import { type JsonObject, type Manifest } from '@amodal/sdk';
import { type Issues, type JsonFile } from '@amodal/sdk/files';
/** Top-level fields of the format; those not read here stay in `raw` for the plugins that own them. */
export declare const MANIFEST_FIELDS: readonly string[];
/** Reads the manifest. `provider` and `model` at the top are short for `models.main`. */
export declare function readManifest(json: JsonFile<JsonObject>, issues: Issues): Manifest | undefined;
