import { z } from 'zod';
import type { ChatRequest } from './chat-request.ts';
/** A click in a widget that the agent has shown. */
export declare const widgetAction: z.ZodObject<{
    session_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    sessionId: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    scope_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    action: z.ZodString;
    widget_type: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    data: z.ZodOptional<z.ZodJSONSchema>;
    stream: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
}, z.core.$strip>;
/**
 * The same as a message. That somebody clicked is their word; what a widget calls it, and the data behind it, is what the
 * agent has put there, which may have it from anywhere.
 */
export declare function clickedMessage({ action, widget_type: type, data, ...rest }: z.output<typeof widgetAction>): ChatRequest;
