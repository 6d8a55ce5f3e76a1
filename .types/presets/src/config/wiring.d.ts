import { z } from 'zod';
/** The part of amodal.json that says how the agent is wired; `repo-files` reads the rest. */
export declare const Wiring: z.ZodObject<{
    preset: z.ZodOptional<z.ZodString>;
    plugins: z.ZodDefault<z.ZodArray<z.ZodPipe<z.ZodUnknown, z.ZodTransform<{
        use: string;
        config?: unknown;
        as?: string | undefined;
        replaces?: string | undefined;
        optional?: boolean | undefined;
        trusted?: boolean | undefined;
    } | {
        without: string;
        unsafe?: boolean | undefined;
    }, unknown>>>>;
    runtime: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
    stores: z.ZodDefault<z.ZodObject<{
        backend: z.ZodOptional<z.ZodEnum<{
            pglite: "pglite";
            postgres: "postgres";
        }>>;
        dataDir: z.ZodOptional<z.ZodString>;
        postgresUrl: z.ZodOptional<z.ZodString>;
        connectionString: z.ZodOptional<z.ZodString>;
    }, z.core.$loose>>;
}, z.core.$loose>;
export type Wiring = z.output<typeof Wiring>;
export type PluginItem = Wiring['plugins'][number];
