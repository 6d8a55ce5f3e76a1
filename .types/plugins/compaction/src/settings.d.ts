import { z } from 'zod';
/** Shares are of the window of the main model. */
export declare const CompactionSettings: z.ZodObject<{
    at: z.ZodDefault<z.ZodNumber>;
    maskAt: z.ZodDefault<z.ZodNumber>;
    protect: z.ZodDefault<z.ZodNumber>;
    keep: z.ZodDefault<z.ZodNumber>;
    snapshot: z.ZodDefault<z.ZodNumber>;
    resultChars: z.ZodDefault<z.ZodInt>;
    overflowChars: z.ZodDefault<z.ZodInt>;
    tools: z.ZodPrefault<z.ZodObject<{
        budget: z.ZodDefault<z.ZodInt>;
    }, z.core.$strict>>;
}, z.core.$strict>;
export type CompactionSettings = Readonly<z.output<typeof CompactionSettings>>;
