import type { AccessTier, Json } from '@amodal/sdk';
/** Every spelling of a tier that `access.json` may hold. */
export declare const SPELLINGS = "false, \"allow\", true, \"confirm\", \"review\", \"never\", \"deny\", \"hidden\"";
/** The one word for a spelling, or `undefined` where it is none. */
export declare function tierOf(spelling: Json | undefined): AccessTier | undefined;
/** Spelled so that there is no such endpoint for the agent. */
export declare const isHidden: (spelling: Json | undefined) => boolean;
