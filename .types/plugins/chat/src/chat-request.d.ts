import { type Failure, type Result, type SendRequest } from '@amodal/sdk';
import { z } from 'zod';
export interface MessageLimits {
    readonly maxMessageChars: number;
    readonly maxImageBytes: number;
}
/** The body of every way to send a message. Unknown fields are let be; ids come in both spellings. */
export declare const chatRequest: ({ maxMessageChars, maxImageBytes }: MessageLimits) => z.ZodObject<{
    message: z.ZodString;
    images: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodPipe<z.ZodObject<{
        mimeType: z.ZodEnum<{
            "image/gif": "image/gif";
            "image/jpeg": "image/jpeg";
            "image/png": "image/png";
            "image/webp": "image/webp";
        }>;
        data: z.ZodBase64;
    }, z.core.$strip>, z.ZodTransform<{
        mediaType: "image/gif" | "image/jpeg" | "image/png" | "image/webp";
        data: string;
    }, {
        mimeType: "image/gif" | "image/jpeg" | "image/png" | "image/webp";
        data: string;
    }>>>>>;
    session_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    sessionId: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    session_type: z.ZodOptional<z.ZodNullable<z.ZodEnum<{
        admin: "admin";
        automation: "automation";
        chat: "chat";
    }>>>;
    deploy_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    scope_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    max_session_tokens: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    max_turns: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    maxTurns: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    model: z.ZodOptional<z.ZodNullable<z.ZodObject<{
        provider: z.ZodString;
        model: z.ZodString;
    }, z.core.$strip>>>;
    context: z.ZodOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodString>>>;
    plan_mode: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
    stream: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
}, z.core.$strip>;
export type ChatRequest = z.output<ReturnType<typeof chatRequest>>;
/** The body of a task: it begins a session of its own. */
export declare const taskRequest: ({ maxMessageChars }: MessageLimits) => z.ZodObject<{
    prompt: z.ZodString;
    scope_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    max_session_tokens: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    max_turns: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    model: z.ZodOptional<z.ZodNullable<z.ZodObject<{
        provider: z.ZodString;
        model: z.ZodString;
    }, z.core.$strip>>>;
    context: z.ZodOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodString>>>;
}, z.core.$strip>;
/** The key of the message that is sent, or whose turn is followed. */
export declare function keyOf(request: Request, inQuery?: string | null): Result<string | undefined, Failure>;
export declare const publicHeaders: (headers: Headers) => Readonly<Record<string, string>>;
export declare function toSend(body: ChatRequest, key: string | undefined, headers: Headers): SendRequest;
