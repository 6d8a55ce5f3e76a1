import { type CallToolResult, type Client, type ElicitResult, type Progress, type Tool } from '@modelcontextprotocol/client';
import type { JsonObject, Lease } from '@amodal/sdk';
import type { AsyncLocalStorage } from 'node:async_hooks';
import { type Elicitation, type ElicitationAnswer } from './elicitation.ts';
import type { SentForms } from './sent-forms.ts';
export interface ToolCall {
    /** The same when the call is made again with the answer of a person. */
    readonly key: string;
    readonly tool: Tool;
    readonly args: JsonObject;
    readonly signal: AbortSignal;
    /** Under which it is made; left out where it changes nothing. */
    readonly lease?: Lease;
    /** ms, past which nobody waits for an answer any more. */
    readonly timeoutMs: number;
    readonly progress: (progress: Progress) => void;
    /** What a person has answered to this very question, if anybody has. */
    readonly answerTo: (elicitation: Elicitation) => ElicitationAnswer | undefined;
}
export type Called = {
    readonly kind: 'result';
    readonly result: CallToolResult;
}
/** The server needs a person before it can go on. */
 | {
    readonly kind: 'asks';
    readonly elicitation: Elicitation;
};
/** The lease of the call that is being sent: what writes it looks at it in the same tick. */
export type Acting = AsyncLocalStorage<Lease | undefined>;
/** The least severe messages that a server is asked for. */
export declare const LOG_LEVEL = "info";
/**
 * The calls of one connection. An older server asks in the middle of a call, without a word of which one it is: the call
 * is held open while its person is asked, and goes on with the answer. Where it cannot be held for so long, it is given
 * up, and made anew when the answer is there.
 */
export declare class Calls {
    #private;
    /** @param holdMs ms that a call is held open while a person is asked */
    constructor(client: Client, holdMs: number, forms: SentForms, acting: Acting);
    /** Makes a call, or goes on with one that was held. Throws where the server could not be asked or gave no valid answer. */
    call(call: ToolCall): Promise<Called>;
    /** An older server asks. Nobody is asked on behalf of somebody else: where several calls could be meant, it hears `cancel`. */
    elicited(elicitation: Elicitation, signal: AbortSignal): ElicitResult | Promise<ElicitResult>;
    /** Gives up the calls of a run that nobody goes on with. */
    release(run: string): void;
    close(): void;
}
