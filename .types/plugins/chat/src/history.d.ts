import { type JsonObject, type Placed } from '@amodal/sdk';
/** The conversation as people read it; what was cleared is not shown. */
export declare function messagesOf(entries: readonly Placed[]): readonly JsonObject[];
