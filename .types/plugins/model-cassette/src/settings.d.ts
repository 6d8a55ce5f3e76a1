import { z } from 'zod';
export declare const settings: z.ZodObject<{
    mode: z.ZodDefault<z.ZodEnum<{
        auto: "auto";
        off: "off";
        record: "record";
        replay: "replay";
    }>>;
    folder: z.ZodDefault<z.ZodString>;
    pace: z.ZodDefault<z.ZodEnum<{
        instant: "instant";
        recorded: "recorded";
    }>>;
    ignore: z.ZodDefault<z.ZodArray<z.ZodString>>;
}, z.core.$strict>;
export type CassetteSettings = z.output<typeof settings>;
