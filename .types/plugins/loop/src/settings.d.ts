import { z } from 'zod';
/** Times (ms) and sizes of the loop. Tests run on short ones. */
export declare const RuntimeSettings: z.ZodObject<{
    leaseMs: z.ZodDefault<z.ZodNumber>;
    marginMs: z.ZodDefault<z.ZodNumber>;
    stalenessMs: z.ZodDefault<z.ZodNumber>;
    sweepMs: z.ZodDefault<z.ZodNumber>;
    suspectMs: z.ZodDefault<z.ZodNumber>;
    trialMs: z.ZodDefault<z.ZodNumber>;
    maxCrashes: z.ZodDefault<z.ZodNumber>;
    pollMs: z.ZodDefault<z.ZodNumber>;
    firstPartMs: z.ZodDefault<z.ZodNumber>;
    stallMs: z.ZodDefault<z.ZodNumber>;
    storeMs: z.ZodDefault<z.ZodNumber>;
    toolMs: z.ZodDefault<z.ZodNumber>;
    maxTurns: z.ZodDefault<z.ZodNumber>;
    maxToolCalls: z.ZodDefault<z.ZodNumber>;
    parallelCalls: z.ZodDefault<z.ZodNumber>;
    residentBytes: z.ZodDefault<z.ZodNumber>;
    outputChars: z.ZodDefault<z.ZodNumber>;
    replyChars: z.ZodDefault<z.ZodNumber>;
    queue: z.ZodDefault<z.ZodNumber>;
    drainMs: z.ZodDefault<z.ZodNumber>;
    sessionTtlMs: z.ZodDefault<z.ZodNumber>;
}, z.core.$strict>;
export type RuntimeSettings = Readonly<z.output<typeof RuntimeSettings>>;
export declare const DEFAULT_SETTINGS: RuntimeSettings;
/** ms that runs get to notice that they were given up. */
export declare const LET_GO_MS = 1000;
/** The longest that the loop takes to close: it waits for runs, gives up the rest, and returns their leases. */
export declare const closeMs: ({ drainMs, storeMs }: RuntimeSettings) => number;
