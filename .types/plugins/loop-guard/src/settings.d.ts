import { z } from 'zod';
export declare const LoopGuardSettings: z.ZodObject<{
    warnAt: z.ZodDefault<z.ZodInt>;
    blockAt: z.ZodDefault<z.ZodInt>;
    stopAt: z.ZodDefault<z.ZodInt>;
    exempt: z.ZodDefault<z.ZodArray<z.ZodString>>;
    progressEvery: z.ZodDefault<z.ZodInt>;
}, z.core.$strict>;
export type LoopGuardSettings = Readonly<z.output<typeof LoopGuardSettings>>;
