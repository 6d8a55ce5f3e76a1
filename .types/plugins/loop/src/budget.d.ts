import { type AgentState, type CallId, type Failure, type JsonObject, type ModelCall, type Result, type Usage } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
/** What a person may extend, by the name that it is asked with. */
declare const BUDGETS: readonly ['session_tokens', 'run_tokens', 'session_cost', 'run_cost', 'tool_calls', 'session_tool_calls'];
export type BudgetName = (typeof BUDGETS)[number];
/** One budget as it stands: whole tokens, billionths of a dollar, or calls. */
interface Line {
    readonly name: BudgetName;
    readonly limit: number;
    readonly used: number;
}
/** A budget that the next call does not fit into. */
export interface Short extends Line {
    readonly needs: number;
}
/** A call with what was set aside for it. */
export interface Held {
    readonly call: ModelCall;
    readonly settle: (usage: Usage) => Promise<void>;
}
/** The first budget that a call with one token of answer does not fit into; a failure where nobody can say what it costs. */
export declare function shortOf(call: ModelCall, turn: LoopTurn): Short | Failure | undefined;
/** What a call took that was stopped before its provider had counted it: somebody who stops every answer near its end pays for it all the same. */
export declare const unfinished: (call: ModelCall, heard: string, turn: LoopTurn) => Usage;
/**
 * Sets aside what a call may take, before it is made, and cuts its reply to what is left; afterwards what it took is
 * written down in its place. Without a budget nothing is counted.
 */
export declare function hold(call: ModelCall, turn: LoopTurn): Promise<Result<Held, Failure>>;
/** What each of so many sub-agents may take, so that all of them together stay inside of what is left; nothing where there is no budget. */
export declare function allotted(children: number, turn: LoopTurn): {
    readonly max_tokens?: number;
    readonly max_cost?: number;
} | undefined;
/** Why a call of the model's is one too many. */
export declare function refusalOf(id: CallId, turn: LoopTurn): string | undefined;
/** Set where the model asked for more calls than there may be, which were refused, and where there were as many before the run began. */
export declare function tooManyCalls(turn: LoopTurn): Short | undefined;
export declare function messageOf({ name, limit, used, needs }: Short): string;
export declare const ending: (short: Short) => AgentState;
/** What a person is asked where a budget is used up. Without a number `continue` adds a quarter of the limit, and at least what the next call needs. */
export declare function extension(short: Short): {
    readonly schema: JsonObject;
    readonly context: JsonObject;
};
/** What an answer adds to which budget; `context` is that of the question. */
export declare function grantIn(context: JsonObject, answer: JsonObject): readonly [BudgetName, number] | undefined;
export {};
