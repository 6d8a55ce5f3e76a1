/** Turns an answer into the bytes of a protocol. Pure, and kept per reply: a hot script costs one write. */
import type { Answer, FinishReason, ScriptedToolCall, ScriptedUsage } from './model-reply.ts';
import type { ModelProtocol } from './protocols/protocol.ts';
export interface FrameContext {
    readonly model: string;
    /** Distinguishes this response from all others; becomes part of its ids. */
    readonly nonce: string;
    /** Seconds since the epoch. */
    readonly created: number;
    readonly includeUsage: boolean;
}
/** A stream in three parts, each already in SSE form. */
export interface Frames {
    readonly prologue: string;
    readonly deltas: readonly string[];
    readonly epilogue: string;
}
/** @returns the frame `data: <payload>` with its blank line. */
export declare function frame(payload: string): string;
/** Chat completions. */
export declare const chatCompletions: ModelProtocol;
/** The stream of an answer, from its first chunk to `[DONE]`. */
export declare function streamFrames(answer: Answer, context: FrameContext): Frames;
/** The body of an answer that is not streamed. */
export declare function completionBody(answer: Answer, context: FrameContext): string;
/**
 * Serialises each reply once per model name and usage flag. Only the nonce differs between two
 * uses of one reply, and replacing it in a finished string costs next to nothing.
 */
export declare class FrameCache {
    #private;
    /** The whole stream as one string. */
    stream(answer: Answer, context: FrameContext, protocol: ModelProtocol): string;
}
export declare function callId(nonce: string, index: number): string;
export declare function argumentsText(call: ScriptedToolCall): string;
/** The arguments as they are sent, in as many pieces as the script asks for. */
export declare function argumentPieces(call: ScriptedToolCall): readonly string[];
export declare function finishReasonOf(answer: Answer): FinishReason;
export declare function scriptedUsage(answer: Answer): ScriptedUsage;
