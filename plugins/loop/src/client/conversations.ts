import {
  type AsyncResult,
  err,
  failure,
  type FollowCursor,
  type Failure,
  type FrameId,
  isAtRest,
  type InboxBody,
  type Json,
  type JsonObject,
  ok,
  onAbort,
  OutputRedactor,
  type QueuedMessage,
  type Result,
  type SendRequest,
  type Sent,
  type SessionId,
  stateOf,
  type TurnResult,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { newKey } from '@amodal/sdk/loop'
import type { CallerSessions } from './caller-sessions.ts'
import { FrameQueue } from '../streams/frame-queue.ts'
import type { InboxWriter } from './inbox-writer.ts'
import { placeInJournal, Reader } from '../streams/reader.ts'
import type { RunningAgent } from '../running-agent.ts'
import type { Sender } from './sender.ts'
import { changeIn } from '../run/session-changes.ts'
import type { SessionAccess } from './session-access.ts'
import { TurnTranscript } from '../streams/turn-transcript.ts'

interface ConversationParts {
  readonly runtime: RunningAgent
  readonly access: SessionAccess
  readonly inbox: InboxWriter
  readonly sender: Sender
  readonly sessions: CallerSessions
}

/** What a caller does in one session: messages, changes, and the events that come of them. */
export class Conversations {
  readonly #runtime: RunningAgent
  readonly #access: SessionAccess
  readonly #inbox: InboxWriter
  readonly #sender: Sender
  readonly #sessions: CallerSessions

  constructor({ runtime, access, inbox, sender, sessions }: ConversationParts) {
    this.#runtime = runtime
    this.#access = access
    this.#inbox = inbox
    this.#sender = sender
    this.#sessions = sessions
  }

  send(request: SendRequest, signal?: AbortSignal): AsyncResult<Sent> {
    return this.#sender.send(request, signal)
  }

  async ask(request: SendRequest, signal?: AbortSignal): AsyncResult<TurnResult> {
    const sent = await this.send(request, signal)
    if (!sent.ok) return sent
    const { frames, session, isBehindQuestion } = sent.value
    const transcript = new TurnTranscript()
    const stop = (): void => frames.close()
    const leave = onAbort(signal, stop)
    // A run that waits for a person emits no more frames: its open question is the result.
    if (isBehindQuestion) stop()
    try {
      for await (const frame of frames) if (transcript.add(frame)) break
    } finally {
      leave()
    }
    const { done, text, events } = transcript
    const view = done ? undefined : await this.#sessions.session(session, signal)
    return ok({
      session,
      text,
      events,
      reason: done?.reason,
      usage: done?.usage,
      pending: view?.ok ? view.value.asks : [],
    })
  }

  async clear(session: SessionId, signal?: AbortSignal): AsyncResult<void> {
    const barred = await this.#access.accessFailure(session, signal)
    if (barred) return err(barred)
    return this.#inbox.served(session, { kind: 'clear', principal: this.#access.principal }, signal)
  }

  async change(
    session: SessionId,
    plugin: string,
    change: JsonObject,
    signal?: AbortSignal,
  ): AsyncResult<Json> {
    const sessionRecord = await this.#access.sessionRecord(session, signal)
    if (!sessionRecord.ok) return sessionRecord
    const { head, parked, owner } = sessionRecord.value
    if (parked && owner === undefined)
      return err(failure('RUN_ACTIVE', 'a question of this session is open: answer it first'))
    const key = newKey()
    const { principal, roles } = this.#access
    const body = { kind: 'change' as const, plugin, change, principal, roles }
    const served = await this.#inbox.served(session, body, signal, key)
    if (!served.ok) return served
    return (
      (await this.#changed(session, head, key, signal)) ?? this.#later(session, head, key, signal)
    )
  }

  /** Waits for the change while the turn before it is in progress. */
  async #later(
    session: SessionId,
    head: number,
    key: string,
    signal: AbortSignal | undefined,
  ): AsyncResult<Json> {
    const frames = await this.follow(session, undefined, key, signal)
    if (!frames.ok) return frames
    const leave = onAbort(signal, () => frames.value.close())
    try {
      for await (const _frame of frames.value) continue
    } finally {
      leave()
    }
    const changed = await this.#changed(session, head, key, signal)
    return (
      changed ?? err(failure('TIMEOUT', 'the change is accepted, and waits for the turn before it'))
    )
  }

  async #changed(
    session: SessionId,
    head: number,
    key: string,
    signal: AbortSignal | undefined,
  ): Promise<Result<Json, Failure> | undefined> {
    const entries = await this.#access.entries(session, head, signal)
    return entries.ok ? changeIn(entries.value, key) : entries
  }

  async follow(
    session: SessionId,
    from: FrameId | undefined,
    key?: string,
    signal?: AbortSignal,
    events?: SendRequest['events'],
  ): AsyncResult<FollowCursor> {
    const sessionRecord = await this.#access.sessionRecord(session, signal)
    if (!sessionRecord.ok) return sessionRecord
    const state = stateOf(sessionRecord.value)
    const queue = new FrameQueue(events)
    // Without a frame to resume from, the stream starts at the beginning of the message's turn, or
    // of the run in progress.
    const runStart = state.kind === 'run' ? state.record.from : sessionRecord.value.head
    const begin = key === undefined ? runStart : 0
    const start = from ?? placeInJournal(begin)
    void new Reader(
      this.#runtime,
      { ref: this.#access.ref(session), from: start, ...(key === undefined ? {} : { key }) },
      queue,
    ).resume()
    return ok(Object.assign(queue, { atRest: isAtRest(sessionRecord.value) }))
  }

  async queued(session: SessionId, signal?: AbortSignal): AsyncResult<readonly QueuedMessage[]> {
    const sessionRecord = await this.#access.sessionRecord(session, signal)
    if (!sessionRecord.ok) return sessionRecord
    if (sessionRecord.value.messages === 0) return ok([])
    const items = await this.#access.callStore(signal, (store, storeSignal) =>
      store.inbox(this.#access.ref(session), storeSignal),
    )
    if (!items.ok) return items
    const outgoing = this.#runtime.generation().scope.find(OutputRedactor)
    return ok(
      items.value.flatMap(({ key, body }): readonly QueuedMessage[] => {
        const parsed = parseExact(body) as InboxBody // written by `send`
        if (parsed.kind !== 'message') return []
        const text = outgoing ? outgoing.text(parsed.text) : parsed.text
        return [{ key, text, ...(parsed.assets && { assets: parsed.assets }) }]
      }),
    )
  }
}
