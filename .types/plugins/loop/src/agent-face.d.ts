import { type Caller, type AgentFace, type AskAnswer, type AskId, type CallId, type Failure, type FollowCursor, type FrameId, type JsonObject, type Page, type Result, type SendRequest, type Sent, type SessionId, type SessionRow, type SessionTotals, type SessionView, type Settlement, type TurnResult } from '@amodal/sdk';
import type { AgentRuntime } from './agent-runtime.ts';
type Outcome<T> = Promise<Result<T, Failure>>;
/** The agent as one tenant's principal sees it. */
export declare class Face implements AgentFace {
    #private;
    constructor(runtime: AgentRuntime, { tenant, principal, roles, delegated, ownSessionsOnly, mayNotDecide }: Caller);
    send(request: SendRequest, signal?: AbortSignal): Outcome<Sent>;
    ask(request: SendRequest, signal?: AbortSignal): Outcome<TurnResult>;
    answer(session: SessionId, answers: readonly AskAnswer[], signal?: AbortSignal): Outcome<{
        readonly settled: readonly AskId[];
    }>;
    cancel(session: SessionId, signal?: AbortSignal): Outcome<{
        readonly active: boolean;
    }>;
    retry(session: SessionId, signal?: AbortSignal): Outcome<void>;
    troubled(signal?: AbortSignal): Outcome<readonly SessionRow[]>;
    settle(session: SessionId, call: CallId, settlement: Settlement, signal?: AbortSignal): Outcome<{
        readonly settled: boolean;
    }>;
    clear(session: SessionId, signal?: AbortSignal): Outcome<void>;
    fork(session: SessionId, at: number | undefined, signal?: AbortSignal): Outcome<SessionRow>;
    follow(session: SessionId, from: FrameId | undefined, key?: string, signal?: AbortSignal, events?: SendRequest['events']): Outcome<FollowCursor>;
    totals(signal?: AbortSignal): Outcome<SessionTotals>;
    open({ title, tags, meta, headers, key }?: Parameters<AgentFace['open']>[0], signal?: AbortSignal): Outcome<SessionRow>;
    waiting(signal?: AbortSignal): Outcome<number>;
    sessions(page: Page, signal?: AbortSignal): ReturnType<AgentFace['sessions']>;
    session(session: SessionId, signal?: AbortSignal): Outcome<SessionView>;
    update(session: SessionId, change: {
        readonly title?: string;
        readonly tags?: readonly string[];
        readonly meta?: JsonObject;
    }, signal?: AbortSignal): Outcome<SessionRow>;
    remove(session: SessionId, signal?: AbortSignal): Outcome<void>;
}
/** The session of a sub-agent, which is in no list. */
export declare const isChild: ({ parent, forkedAt, meta }: SessionRow) => boolean;
export {};
