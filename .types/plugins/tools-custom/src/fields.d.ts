import { type Issues, type JsonFile } from '@amodal/sdk/files';
import { type JsonObject } from '@amodal/sdk';
import { z } from 'zod';
export declare const TOOL_NAME: RegExp;
export declare const toolName: z.ZodString;
declare const step: z.ZodObject<{
    connection: z.ZodString;
    endpoint: z.ZodString;
    method: z.ZodDefault<z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodEnum<{
        DELETE: "DELETE";
        GET: "GET";
        HEAD: "HEAD";
        OPTIONS: "OPTIONS";
        PATCH: "PATCH";
        POST: "POST";
        PUT: "PUT";
    }>>>;
    params: z.ZodExactOptional<z.ZodRecord<z.ZodString, z.ZodJSONSchema>>;
    data: z.ZodExactOptional<z.ZodJSONSchema>;
    headers: z.ZodExactOptional<z.ZodRecord<z.ZodString, z.ZodString>>;
    name: z.ZodString;
    responseShaping: z.ZodExactOptional<z.ZodObject<{
        pick: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        rename: z.ZodExactOptional<z.ZodRecord<z.ZodString, z.ZodString>>;
        template: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>>;
}, z.core.$strip>;
declare const common: z.ZodObject<{
    name: z.ZodExactOptional<z.ZodString>;
    description: z.ZodString;
    parameters: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodJSONSchema>>;
    confirm: z.ZodDefault<z.ZodLiteral<"allow" | "confirm" | "never" | "review" | boolean>>;
    timeout: z.ZodDefault<z.ZodInt>;
    env: z.ZodDefault<z.ZodArray<z.ZodString>>;
    responseShaping: z.ZodExactOptional<z.ZodObject<{
        pick: z.ZodExactOptional<z.ZodArray<z.ZodString>>;
        rename: z.ZodExactOptional<z.ZodRecord<z.ZodString, z.ZodString>>;
        template: z.ZodExactOptional<z.ZodString>;
    }, z.core.$strip>>;
    sandbox: z.ZodDefault<z.ZodObject<{
        language: z.ZodExactOptional<z.ZodEnum<{
            python: "python";
            typescript: "typescript";
        }>>;
    }, z.core.$loose>>;
    runningLabel: z.ZodExactOptional<z.ZodString>;
    completedLabel: z.ZodExactOptional<z.ZodString>;
    internal: z.ZodDefault<z.ZodBoolean>;
    resultPersistence: z.ZodExactOptional<z.ZodEnum<{
        ephemeral: "ephemeral";
        persisted: "persisted";
        "persisted-preferred": "persisted-preferred";
    }>>;
    result_persistence: z.ZodExactOptional<z.ZodEnum<{
        ephemeral: "ephemeral";
        persisted: "persisted";
        "persisted-preferred": "persisted-preferred";
    }>>;
    private: z.ZodDefault<z.ZodBoolean>;
    version: z.ZodExactOptional<z.ZodString>;
    uses: z.ZodDefault<z.ZodArray<z.ZodString>>;
    readOnly: z.ZodExactOptional<z.ZodBoolean>;
    keyed: z.ZodDefault<z.ZodBoolean>;
    taint: z.ZodExactOptional<z.ZodLiteral<"ignore">>;
}, z.core.$loose>;
declare const http: z.ZodObject<{
    connection: z.ZodString;
    endpoint: z.ZodString;
    method: z.ZodDefault<z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodEnum<{
        DELETE: "DELETE";
        GET: "GET";
        HEAD: "HEAD";
        OPTIONS: "OPTIONS";
        PATCH: "PATCH";
        POST: "POST";
        PUT: "PUT";
    }>>>;
    params: z.ZodExactOptional<z.ZodRecord<z.ZodString, z.ZodJSONSchema>>;
    data: z.ZodExactOptional<z.ZodJSONSchema>;
    headers: z.ZodExactOptional<z.ZodRecord<z.ZodString, z.ZodString>>;
}, z.core.$strip>;
export type Fields = z.output<typeof common>;
export type HttpFields = z.output<typeof http>;
export type StepFields = z.output<typeof step>;
export type ToolType = 'http' | 'chain' | 'function';
/** Which kind of tool a definition is. */
export declare function readType(json: JsonFile<JsonObject>, issues: Issues): ToolType | undefined;
/** What all kinds have. Fields that nothing reads are told; a tool with one that sounds like a protection is left out. */
export declare function readFields(json: JsonFile<JsonObject>, kind: ToolType, issues: Issues): Fields | undefined;
/** The one request of an http tool. */
export declare function readHttp(json: JsonFile<JsonObject>, issues: Issues): HttpFields | undefined;
/** The requests of a chain. Two of one name would overwrite each other. */
export declare function readSteps(json: JsonFile<JsonObject>, issues: Issues): readonly StepFields[] | undefined;
/** Warns of placeholders that no parameter fills: they would always be empty. */
export declare function warnPlaceholders(json: JsonFile<JsonObject>, at: readonly string[], parameters: JsonObject, issues: Issues): void;
export {};
