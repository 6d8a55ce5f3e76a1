import { z } from 'zod';
export declare const settings: z.ZodObject<{
    trustContext: z.ZodDefault<z.ZodBoolean>;
    maxDocumentBytes: z.ZodDefault<z.ZodInt>;
    refreshHours: z.ZodDefault<z.ZodNumber>;
}, z.core.$strip>;
/** Calls the HTTP connections of an agent: the tool `request`, with their credentials, limits and API documents. */
export declare const connectRest: import("@amodal/sdk").Plugin;
export default connectRest;
