import {
  type AsyncResult,
  type AgentClient,
  type AskAnswer,
  type AskId,
  type CallId,
  type Caller,
  err,
  type FollowCursor,
  type FrameId,
  type Json,
  type JsonObject,
  type NewSession,
  type Page,
  type QueuedMessage,
  type SendRequest,
  type Sent,
  type SessionId,
  type SessionRow,
  type SessionTotals,
  type SessionView,
  type Settlement,
  type TurnResult,
} from '@amodal/sdk'
import { Answers } from './answers.ts'
import { CallerSessions, type SessionEdit } from './caller-sessions.ts'
import { Conversations } from './conversations.ts'
import { Decisions } from './decisions.ts'
import { InboxWriter } from './inbox-writer.ts'
import type { RunningAgent } from '../running-agent.ts'
import { Sender } from './sender.ts'
import { SessionAccess } from './session-access.ts'

/** The agent as one tenant's principal sees it. */
export class BoundClient implements AgentClient {
  readonly #access: SessionAccess
  readonly #answers: Answers
  readonly #conversations: Conversations
  readonly #decisions: Decisions
  readonly #sessions: CallerSessions

  constructor(runtime: RunningAgent, caller: Caller) {
    const access = new SessionAccess(runtime, caller)
    const inbox = new InboxWriter(runtime, access)
    const answers = new Answers(runtime, access, inbox)
    const sender = new Sender({ runtime, access, inbox, answers })
    const sessions = new CallerSessions(runtime, access, sender)
    this.#access = access
    this.#answers = answers
    this.#conversations = new Conversations({ runtime, access, inbox, sender, sessions })
    this.#decisions = new Decisions(access, inbox)
    this.#sessions = sessions
  }

  // Conversations.

  send(request: SendRequest, signal?: AbortSignal): AsyncResult<Sent> {
    return this.#conversations.send(request, signal)
  }

  ask(request: SendRequest, signal?: AbortSignal): AsyncResult<TurnResult> {
    return this.#conversations.ask(request, signal)
  }

  clear(session: SessionId, signal?: AbortSignal): AsyncResult<void> {
    return this.#conversations.clear(session, signal)
  }

  change(
    session: SessionId,
    plugin: string,
    change: JsonObject,
    signal?: AbortSignal,
  ): AsyncResult<Json> {
    return this.#conversations.change(session, plugin, change, signal)
  }

  follow(
    session: SessionId,
    from: FrameId | undefined,
    key?: string,
    signal?: AbortSignal,
    events?: SendRequest['events'],
  ): AsyncResult<FollowCursor> {
    return this.#conversations.follow(session, from, key, signal, events)
  }

  queued(session: SessionId, signal?: AbortSignal): AsyncResult<readonly QueuedMessage[]> {
    return this.#conversations.queued(session, signal)
  }

  // Decisions about runs.

  async answer(
    session: SessionId,
    answers: readonly AskAnswer[],
    signal?: AbortSignal,
  ): AsyncResult<{ readonly settled: readonly AskId[] }> {
    const { decisionRefusal } = this.#access
    return decisionRefusal ? err(decisionRefusal) : this.#answers.give(session, answers, signal)
  }

  cancel(session: SessionId, signal?: AbortSignal): AsyncResult<{ readonly active: boolean }> {
    return this.#decisions.cancel(session, signal)
  }

  retry(session: SessionId, signal?: AbortSignal): AsyncResult<void> {
    return this.#decisions.retry(session, signal)
  }

  settle(
    session: SessionId,
    call: CallId,
    settlement: Settlement,
    signal?: AbortSignal,
  ): AsyncResult<{ readonly settled: boolean }> {
    return this.#decisions.settle(session, call, settlement, signal)
  }

  troubled(signal?: AbortSignal): AsyncResult<readonly SessionRow[]> {
    return this.#decisions.troubled(signal)
  }

  // Sessions.

  open(request?: NewSession, signal?: AbortSignal): AsyncResult<SessionRow> {
    return this.#sessions.open(request, signal)
  }

  fork(session: SessionId, at: number | undefined, signal?: AbortSignal): AsyncResult<SessionRow> {
    return this.#sessions.fork(session, at, signal)
  }

  sessions(page: Page, signal?: AbortSignal): ReturnType<AgentClient['sessions']> {
    return this.#sessions.sessions(page, signal)
  }

  session(
    session: SessionId,
    signal?: AbortSignal,
    after?: number,
    upto?: number,
  ): AsyncResult<SessionView> {
    return this.#sessions.session(session, signal, after, upto)
  }

  update(session: SessionId, change: SessionEdit, signal?: AbortSignal): AsyncResult<SessionRow> {
    return this.#sessions.update(session, change, signal)
  }

  remove(session: SessionId, signal?: AbortSignal): AsyncResult<void> {
    return this.#sessions.remove(session, signal)
  }

  totals(signal?: AbortSignal): AsyncResult<SessionTotals> {
    return this.#sessions.totals(signal)
  }

  waiting(signal?: AbortSignal): AsyncResult<number> {
    return this.#sessions.waiting(signal)
  }
}
