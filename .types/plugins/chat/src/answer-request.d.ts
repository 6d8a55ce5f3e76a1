import { type AskAnswer, type Failure, type Json, type PendingAsk, type Result } from '@amodal/sdk';
import { z } from 'zod';
/** The body of an answer: one, or several at once. The session may stand in the path instead. */
export declare const answerRequest: z.ZodObject<{
    id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    ask_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    correlation_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    tool_use_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    tool_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    approved: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
    action: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    answers: z.ZodOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
    response: z.ZodOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
    feedback: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    additional_turns: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    additional_tokens: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    additional_cost: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    additional_tool_calls: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    session_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    sessionId: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    scope_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    responses: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodObject<{
        id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        ask_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        correlation_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        tool_use_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        tool_id: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        approved: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
        action: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        answers: z.ZodOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
        response: z.ZodOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
        feedback: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        additional_turns: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
        additional_tokens: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
        additional_cost: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
        additional_tool_calls: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
    }, z.core.$strict>>>>;
}, z.core.$strict>;
export type AnswerRequest = z.output<typeof answerRequest>;
/** What clients send, in the form that each question asked for. Whether it fits is for the kernel to say. */
export declare function toAnswers({ responses, ...body }: AnswerRequest, asks: readonly PendingAsk[]): Result<readonly AskAnswer[], Failure>;
