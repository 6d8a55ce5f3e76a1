import { z } from 'zod';
/** Times (ms, unless their name says otherwise) and sizes. */
export declare const Settings: z.ZodObject<{
    callMs: z.ZodDefault<z.ZodInt>;
    connectMs: z.ZodDefault<z.ZodInt>;
    waitMs: z.ZodDefault<z.ZodInt>;
    graceMs: z.ZodDefault<z.ZodInt>;
    maxBytes: z.ZodDefault<z.ZodInt>;
    maxTools: z.ZodDefault<z.ZodInt>;
    resultChars: z.ZodDefault<z.ZodInt>;
    imageChars: z.ZodDefault<z.ZodInt>;
    holdMs: z.ZodDefault<z.ZodInt>;
    questionSeconds: z.ZodDefault<z.ZodInt>;
}, z.core.$strict>;
export type Settings = Readonly<z.output<typeof Settings>>;
