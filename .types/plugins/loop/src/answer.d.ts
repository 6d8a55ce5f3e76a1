import { type AskId, type Failure, type InboxBody, type JsonObject, type LaneRef, type PendingAsk, type Result, type SessionStore } from '@amodal/sdk';
/** A person's answer as it stands in the inbox. */
export type Answered = Extract<InboxBody, {
    kind: 'answer';
}>;
/** One question has one answer: the inbox takes each key once. */
export declare const answerKey: (ask: AskId) => string;
/** The answer to a question of this session that counts: waiting in the inbox, or in the journal once the run has gone on with it. */
export declare function keptAnswer(store: SessionStore, ref: LaneRef, ask: AskId, signal: AbortSignal): Promise<Result<Answered | undefined, Failure>>;
/**
 * Checks an answer against the schema of its question. What approvals and plain questions use of JSON Schema is checked
 * here, without loading anything; the rest by a library.
 */
export declare function checkAnswer(ask: PendingAsk, answer: JsonObject): Result<void, string>;
