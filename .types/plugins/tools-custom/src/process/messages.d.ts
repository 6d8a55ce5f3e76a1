import type { Json, JsonObject } from '@amodal/sdk';
import { z } from 'zod';
/** What a handler process is told. Lines of JSON on its descriptor 3, in both directions. */
export type ToChild = {
    readonly type: 'start';
    readonly entry: string;
    readonly roots: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly describe: boolean;
} | {
    readonly type: 'call';
    readonly call: number;
    readonly params: JsonObject;
    readonly context: CallContext;
} | {
    readonly type: 'abort';
    readonly call: number;
} | {
    readonly type: 'answer';
    readonly call: number;
    readonly id: number;
    readonly ok: true;
    readonly value: Json;
} | {
    readonly type: 'answer';
    readonly call: number;
    readonly id: number;
    readonly ok: false;
    readonly code: string;
    readonly message: string;
};
/** What a handler may know of its call. */
export interface CallContext {
    readonly user: {
        readonly roles: readonly string[];
    };
    readonly agentId: string;
    readonly scopeId: string;
    readonly sessionId: string;
}
declare const Asked: z.ZodDiscriminatedUnion<[z.ZodObject<{
    op: z.ZodLiteral<"request">;
    connection: z.ZodString;
    endpoint: z.ZodString;
    method: z.ZodString;
    params: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<JsonObject, Record<string, unknown>>>>;
    data: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<string | number | boolean | readonly Json[] | {
        readonly [key: string]: Json;
    } | null, unknown>>>;
    headers: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodString>>;
}, z.core.$strip>, z.ZodObject<{
    op: z.ZodLiteral<"tool">;
    name: z.ZodString;
    args: z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<JsonObject, Record<string, unknown>>>;
}, z.core.$strip>, z.ZodObject<{
    op: z.ZodLiteral<"store">;
    name: z.ZodString;
    payload: z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<JsonObject, Record<string, unknown>>>;
}, z.core.$strip>, z.ZodObject<{
    op: z.ZodLiteral<"exec">;
    command: z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodString>]>;
    cwd: z.ZodOptional<z.ZodString>;
    timeout: z.ZodOptional<z.ZodNumber>;
}, z.core.$strip>, z.ZodObject<{
    op: z.ZodLiteral<"fetch">;
    url: z.ZodString;
    method: z.ZodString;
    headers: z.ZodRecord<z.ZodString, z.ZodString>;
    body: z.ZodOptional<z.ZodBase64>;
}, z.core.$strip>], "op">;
/** What a handler wants done for it; it waits for the answer. */
export type Ask = z.output<typeof Asked>;
declare const Told: z.ZodDiscriminatedUnion<[z.ZodObject<{
    op: z.ZodLiteral<"log">;
    message: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    op: z.ZodLiteral<"label">;
    running: z.ZodOptional<z.ZodString>;
    completed: z.ZodOptional<z.ZodString>;
}, z.core.$strip>, z.ZodObject<{
    op: z.ZodLiteral<"emit">;
    event: z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<JsonObject, Record<string, unknown>>>;
}, z.core.$strip>], "op">;
/** What a handler says on its way. */
export type Tell = z.output<typeof Told>;
/** What comes back. Anybody's code may have written it: all of it is checked. */
export declare const FromChild: z.ZodDiscriminatedUnion<[z.ZodObject<{
    type: z.ZodLiteral<"ready">;
    definition: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<JsonObject, Record<string, unknown>>>>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"failed">;
    message: z.ZodString;
    file: z.ZodOptional<z.ZodString>;
    line: z.ZodOptional<z.ZodInt>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"result">;
    call: z.ZodInt;
    value: z.ZodPipe<z.ZodUnknown, z.ZodTransform<string | number | boolean | readonly Json[] | {
        readonly [key: string]: Json;
    } | null, unknown>>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"threw">;
    call: z.ZodInt;
    message: z.ZodString;
    code: z.ZodOptional<z.ZodString>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"crashed">;
    message: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"ask">;
    call: z.ZodInt;
    id: z.ZodInt;
    what: z.ZodDiscriminatedUnion<[z.ZodObject<{
        op: z.ZodLiteral<"request">;
        connection: z.ZodString;
        endpoint: z.ZodString;
        method: z.ZodString;
        params: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<JsonObject, Record<string, unknown>>>>;
        data: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<string | number | boolean | readonly Json[] | {
            readonly [key: string]: Json;
        } | null, unknown>>>;
        headers: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodString>>;
    }, z.core.$strip>, z.ZodObject<{
        op: z.ZodLiteral<"tool">;
        name: z.ZodString;
        args: z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<JsonObject, Record<string, unknown>>>;
    }, z.core.$strip>, z.ZodObject<{
        op: z.ZodLiteral<"store">;
        name: z.ZodString;
        payload: z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<JsonObject, Record<string, unknown>>>;
    }, z.core.$strip>, z.ZodObject<{
        op: z.ZodLiteral<"exec">;
        command: z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodString>]>;
        cwd: z.ZodOptional<z.ZodString>;
        timeout: z.ZodOptional<z.ZodNumber>;
    }, z.core.$strip>, z.ZodObject<{
        op: z.ZodLiteral<"fetch">;
        url: z.ZodString;
        method: z.ZodString;
        headers: z.ZodRecord<z.ZodString, z.ZodString>;
        body: z.ZodOptional<z.ZodBase64>;
    }, z.core.$strip>], "op">;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"tell">;
    call: z.ZodInt;
    what: z.ZodDiscriminatedUnion<[z.ZodObject<{
        op: z.ZodLiteral<"log">;
        message: z.ZodString;
    }, z.core.$strip>, z.ZodObject<{
        op: z.ZodLiteral<"label">;
        running: z.ZodOptional<z.ZodString>;
        completed: z.ZodOptional<z.ZodString>;
    }, z.core.$strip>, z.ZodObject<{
        op: z.ZodLiteral<"emit">;
        event: z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<JsonObject, Record<string, unknown>>>;
    }, z.core.$strip>], "op">;
}, z.core.$strip>], "type">;
export type FromChild = z.output<typeof FromChild>;
export {};
