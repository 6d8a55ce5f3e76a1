import { type JsonObject, type Limits, type Manifest } from '@amodal/sdk';
import { type Issues, type JsonFile } from '@amodal/sdk/files';
/** Names of limits that may stand at the top of the manifest, too. */
export declare const TOP_LIMITS: readonly string[];
/**
 * Reads `limits`, in either spelling, and limits that stand beside it. An agent that declares durable state has to say how many rounds of tools a message may
 * take: there it is refused without `max_tool_rounds`.
 */
export declare function readLimits(json: JsonFile<JsonObject>, issues: Issues): Limits | undefined;
/** What `tools` says of results. */
export declare function readResults(json: JsonFile<JsonObject>, issues: Issues): Pick<Manifest, 'resultPersistence' | 'privateTools'> | undefined;
