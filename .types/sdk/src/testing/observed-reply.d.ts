import type { LanguageModelV4CallOptions, LanguageModelV4ToolCall, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { LanguageModel, StreamPart } from '../ports/model.ts';
/** All that a caller sees of one reply. A failure is one, wherever it came out: as a rejection or as a part. */
export interface Observed {
    readonly parts: readonly StreamPart[];
    readonly text: string;
    readonly reasoning: string;
    readonly calls: readonly LanguageModelV4ToolCall[];
    readonly finish: string | undefined;
    readonly usage: LanguageModelV4Usage | undefined;
    readonly errors: readonly unknown[];
    /** The messages of `errors`. */
    readonly failures: readonly string[];
}
/**
 * Reads one reply of a model to its end, and checks what holds for every stream: blocks are opened
 * and closed, and nothing follows the finish.
 *
 * @param onPart called with every part as it comes
 */
export declare function observeReply(model: LanguageModel, options: LanguageModelV4CallOptions, onPart?: (part: StreamPart) => void): Promise<Observed>;
/** Waits until `done` holds; rejects where it does not within five seconds. */
export declare function until(done: () => unknown): Promise<void>;
