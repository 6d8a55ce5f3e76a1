import { type JsonObject, type Result } from '@amodal/sdk';
import { z } from 'zod';
declare const specs: z.ZodDiscriminatedUnion<[z.ZodObject<{
    trust: z.ZodDefault<z.ZodBoolean>;
    timeoutMs: z.ZodExactOptional<z.ZodInt>;
    resultPersistence: z.ZodExactOptional<z.ZodEnum<{
        ephemeral: "ephemeral";
        persisted: "persisted";
        "persisted-preferred": "persisted-preferred";
    }>>;
    private: z.ZodExactOptional<z.ZodBoolean>;
    transport: z.ZodLiteral<"stdio">;
    command: z.ZodString;
    args: z.ZodDefault<z.ZodArray<z.ZodString>>;
    env: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
    cwd: z.ZodExactOptional<z.ZodString>;
}, z.core.$strip>, z.ZodObject<{
    trust: z.ZodDefault<z.ZodBoolean>;
    timeoutMs: z.ZodExactOptional<z.ZodInt>;
    resultPersistence: z.ZodExactOptional<z.ZodEnum<{
        ephemeral: "ephemeral";
        persisted: "persisted";
        "persisted-preferred": "persisted-preferred";
    }>>;
    private: z.ZodExactOptional<z.ZodBoolean>;
    transport: z.ZodLiteral<"sse">;
    url: z.ZodString;
    headers: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
}, z.core.$strip>, z.ZodObject<{
    trust: z.ZodDefault<z.ZodBoolean>;
    timeoutMs: z.ZodExactOptional<z.ZodInt>;
    resultPersistence: z.ZodExactOptional<z.ZodEnum<{
        ephemeral: "ephemeral";
        persisted: "persisted";
        "persisted-preferred": "persisted-preferred";
    }>>;
    private: z.ZodExactOptional<z.ZodBoolean>;
    transport: z.ZodLiteral<"http">;
    url: z.ZodString;
    headers: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
}, z.core.$strip>], "transport">;
/** How a server is reached, `env:` references unresolved. */
export type ServerSpec = z.output<typeof specs>;
/** Reads the `spec.json` of an MCP connection. Without `transport`, a `command` means stdio and a `url` http. */
export declare function readServerSpec(spec: JsonObject): Result<ServerSpec, string>;
export {};
