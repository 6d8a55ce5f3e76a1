import {
  type AgentClient,
  type AskAnswer,
  type AskId,
  type CallId,
  type Caller,
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
  type Page,
  principalId,
  type QueuedMessage,
  type Result,
  type SendRequest,
  type Sent,
  type SessionId,
  type SessionRow,
  type SessionTotals,
  type SessionView,
  type Settlement,
  sha256,
  stateOf,
  type TurnResult,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import {
  AssetStore,
  askStore,
  childrenOf,
  clean,
  newKey,
  newSessionId,
  openAsks,
  defined,
  isSubagentSession,
  LISTED_KINDS,
} from '@amodal/sdk/loop'
import { randomUUID } from 'node:crypto'
import { Answers } from './answers.ts'
import { FrameQueue } from './frame-queue.ts'
import { InboxWriter } from './inbox-writer.ts'
import { publicOf } from './project.ts'
import { Reader } from './reader.ts'
import { keyOf } from './recover.ts'
import type { RunningAgent } from './running-agent.ts'
import { Sender } from './sender.ts'
import { changeIn } from './session-changes.ts'
import { type Outcome, SessionAccess, unknownSession } from './session-access.ts'
import {
  noRetry,
  type SettledData,
  unknownEffect,
  type UnknownEffect,
  unknownEffects,
} from './settle.ts'
import { TurnTranscript } from './turn-transcript.ts'

/** Sessions with something to decide that are listed at most. */
const MOST_TROUBLED = 200

/** The agent as one tenant's principal sees it. */
export class BoundClient implements AgentClient {
  readonly #runtime: RunningAgent
  readonly #access: SessionAccess
  readonly #inbox: InboxWriter
  readonly #answers: Answers
  readonly #sender: Sender

  constructor(runtime: RunningAgent, caller: Caller) {
    const access = new SessionAccess(runtime, caller)
    const inbox = new InboxWriter(runtime, access)
    const answers = new Answers(runtime, access, inbox)
    this.#runtime = runtime
    this.#access = access
    this.#inbox = inbox
    this.#answers = answers
    this.#sender = new Sender({
      runtime,
      access,
      inbox,
      answers,
      announce: (type, session) => this.#announce(type, session),
    })
  }

  send(request: SendRequest, signal?: AbortSignal): Outcome<Sent> {
    return this.#sender.send(request, signal)
  }

  async ask(request: SendRequest, signal?: AbortSignal): Outcome<TurnResult> {
    const sent = await this.send(request, signal)
    if (!sent.ok) return sent
    const { frames, session, waits } = sent.value
    const transcript = new TurnTranscript()
    const stop = (): void => frames.close()
    const leave = onAbort(signal, stop)
    // Behind a run that waits for a person nothing will come: that question is what the caller has
    // to answer.
    if (waits) stop()
    try {
      for await (const frame of frames) if (transcript.add(frame)) break
    } finally {
      leave()
    }
    const { done, text, events } = transcript
    const view = done ? undefined : await this.session(session, signal)
    return ok({
      session,
      text,
      events,
      reason: done?.reason,
      usage: done?.usage,
      pending: view?.ok ? view.value.asks : [],
    })
  }

  async answer(
    session: SessionId,
    answers: readonly AskAnswer[],
    signal?: AbortSignal,
  ): Outcome<{ readonly settled: readonly AskId[] }> {
    const { undecided } = this.#access
    return undecided ? err(undecided) : this.#answers.give(session, answers, signal)
  }

  async cancel(session: SessionId, signal?: AbortSignal): Outcome<{ readonly active: boolean }> {
    const lease = await this.#access.lease(session, signal)
    if (!lease.ok) return lease
    const state = stateOf(lease.value)
    const isSetAside = lease.value.setAside !== undefined
    if (state.kind === 'idle' && lease.value.owner === undefined && !isSetAside)
      return ok({ active: false })
    for (const { child } of childrenOf(state)) await this.cancel(child, signal)
    const accepted = await this.#inbox.control(
      session,
      {
        key: randomUUID(),
        body: { kind: 'cancel', principal: this.#access.principal },
        resumes: isSetAside,
      },
      signal,
    )
    return accepted.ok ? ok({ active: true }) : accepted
  }

  async retry(session: SessionId, signal?: AbortSignal): Outcome<void> {
    if (this.#access.undecided) return err(this.#access.undecided)
    const lease = await this.#access.lease(session, signal)
    if (!lease.ok) return lease
    if (lease.value.setAside === undefined)
      return err(failure('VALIDATION_ERROR', 'the session is not set aside', { status: 409 }))
    const accepted = await this.#inbox.control(
      session,
      {
        key: randomUUID(),
        body: { kind: 'retry', principal: this.#access.principal },
        resumes: true,
      },
      signal,
    )
    return accepted.ok ? ok(undefined) : accepted
  }

  async troubled(signal?: AbortSignal): Outcome<readonly SessionRow[]> {
    return this.#access.ask(signal, (store, limit) =>
      store.troubled(this.#access.tenant, this.#access.only, MOST_TROUBLED, limit),
    )
  }

  async settle(
    session: SessionId,
    call: CallId,
    settlement: Settlement,
    signal?: AbortSignal,
  ): Outcome<{ readonly settled: boolean }> {
    if (this.#access.undecided) return err(this.#access.undecided)
    const open = await this.#unsettled(session, call, settlement, signal)
    if (!open.ok) return open
    const roles = this.#access.roles.length > 0 ? { roles: this.#access.roles } : {}
    const done = await this.#inbox.served(
      session,
      { kind: 'settle', call, settlement, principal: this.#access.principal, ...roles },
      signal,
    )
    if (!done.ok) return done
    const now = await this.#access.entries(session, 0, signal)
    if (!now.ok) return now
    const by = unknownEffect(now.value, call)?.settled
    if (by && (by.data as SettledData).settlement !== settlement)
      return err(
        failure('ASK_NOT_FOUND', `the outcome of "${call}" was settled otherwise meanwhile`, {
          status: 409,
        }),
      )
    return ok({ settled: by !== undefined })
  }

  /** An effect whose outcome nobody knows, and of which a person may say this. */
  async #unsettled(
    session: SessionId,
    call: CallId,
    settlement: Settlement,
    signal: AbortSignal | undefined,
  ): Outcome<UnknownEffect> {
    const row = await this.#access.row(session, signal)
    if (!row.ok) return row
    const entries = await this.#access.entries(session, 0, signal)
    if (!entries.ok) return entries
    const effect = unknownEffect(entries.value, call)
    if (!effect)
      return err(failure('NOT_FOUND', `the call "${call}" has no unknown outcome`, { status: 404 }))
    if (effect.settled)
      return err(
        failure('ASK_NOT_FOUND', `the outcome of "${call}" was settled before`, { status: 409 }),
      )
    const refused = settlement === 'retry' ? noRetry(effect) : undefined
    return refused === undefined
      ? ok(effect)
      : err(
          failure(
            'VALIDATION_ERROR',
            `outcome: the call cannot be made again: ${refused}. Look at the target, then say "happened" or "not_happened"`,
            { status: 409 },
          ),
        )
  }

  async clear(session: SessionId, signal?: AbortSignal): Outcome<void> {
    const barred = await this.#access.barred(session, signal)
    if (barred) return err(barred)
    return this.#inbox.served(session, { kind: 'clear', principal: this.#access.principal }, signal)
  }

  async change(
    session: SessionId,
    plugin: string,
    change: JsonObject,
    signal?: AbortSignal,
  ): Outcome<Json> {
    const lease = await this.#access.lease(session, signal)
    if (!lease.ok) return lease
    const { head, parked, owner } = lease.value
    if (parked && owner === undefined)
      return err(
        failure('RUN_ACTIVE', 'a question of this session is open: answer it first', {
          status: 409,
        }),
      )
    const key = newKey()
    const { principal, roles } = this.#access
    const body = { kind: 'change' as const, plugin, change, principal, roles }
    const served = await this.#inbox.served(session, body, signal, key)
    if (!served.ok) return served
    return (
      (await this.#changed(session, head, key, signal)) ?? this.#later(session, head, key, signal)
    )
  }

  /** Behind the turn that is in progress. */
  async #later(
    session: SessionId,
    head: number,
    key: string,
    signal: AbortSignal | undefined,
  ): Outcome<Json> {
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
      changed ?? err(failure('TIMEOUT', 'the change is kept, and waits for the turn before it'))
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

  async fork(
    session: SessionId,
    at: number | undefined,
    signal?: AbortSignal,
  ): Outcome<SessionRow> {
    const row = await this.#access.row(session, signal)
    if (!row.ok) return row
    const seq = at ?? row.value.head
    if (!Number.isInteger(seq) || seq < 0 || seq > row.value.head)
      return err(
        failure('VALIDATION_ERROR', `at: must be a whole number from 0 to ${row.value.head}`, {
          status: 400,
        }),
      )
    const child = newSessionId()
    const { title, meta } = row.value
    const held = await this.#holdFiles(session, seq, child, signal)
    if (!held.ok) return held
    const forked = await this.#access.ask(signal, (store, limit) =>
      store.fork(
        this.#access.ref(session),
        child,
        seq,
        { principal: this.#access.principal, title, meta },
        limit,
      ),
    )
    if (!forked.ok) return forked
    if (!forked.value) return err(unknownSession())
    this.#announce('session_created', child)
    return this.#access.row(child, signal)
  }

  /** Files of a session that a new one shares: held for it before it is there. */
  async #holdFiles(
    session: SessionId,
    upto: number,
    child: SessionId,
    signal: AbortSignal | undefined,
  ): Outcome<void> {
    const store = this.#runtime.generation().scope.find(AssetStore)
    const entries = store ? await this.#access.entries(session, 0, signal) : ok([])
    if (!entries.ok) return entries
    const files = entries.value.flatMap((entry) =>
      entry.kind === 'user_message' && entry.seq <= upto ? (entry.assets ?? []) : [],
    )
    if (!store || files.length === 0) return ok(undefined)
    const { tenant, principal } = this.#access
    return askStore(
      this.#runtime.settings.storeMs,
      (limit) => store.of(tenant).hold(files, { principal, session: child }, limit),
      signal,
    )
  }

  async follow(
    session: SessionId,
    from: FrameId | undefined,
    key?: string,
    signal?: AbortSignal,
    events?: SendRequest['events'],
  ): Outcome<FollowCursor> {
    const lease = await this.#access.lease(session, signal)
    if (!lease.ok) return lease
    const state = stateOf(lease.value)
    const queue = new FrameQueue(events)
    // Without a frame to resume from: a message's turn, or the run in progress, from its beginning.
    const runStart = state.kind === 'run' ? state.record.from : lease.value.head
    const begin = key === undefined ? runStart : 0
    const start = from ?? { seq: begin, fencingToken: lease.value.fencingToken, attempt: 0, n: 0 }
    void new Reader(
      this.#runtime,
      { ref: this.#access.ref(session), from: start, ...(key === undefined ? {} : { key }) },
      queue,
    ).resume()
    return ok(Object.assign(queue, { atRest: isAtRest(lease.value) }))
  }

  async totals(signal?: AbortSignal): Outcome<SessionTotals> {
    return this.#access.ask(signal, (store, limit) =>
      store.totals(this.#access.tenant, this.#access.only, limit),
    )
  }

  async open(
    { title = '', tags, meta = {}, headers, key }: Parameters<AgentClient['open']>[0] = {},
    signal?: AbortSignal,
  ): Outcome<SessionRow> {
    // Not the session that a message under this key would begin.
    const keyed = key === undefined ? {} : { key: JSON.stringify(['open', key]) }
    const draft = await this.#sender.draft({ text: title, ...defined({ headers }), ...keyed })
    if (!draft.ok) return draft
    const { session, meta: own } = draft.value
    const request =
      key === undefined ? undefined : sha256(JSON.stringify([title, tags ?? [], meta]))
    const create = defined({
      principal: this.#access.principal,
      title: clean(title === '' ? draft.value.title : title),
      meta: JSON.stringify(clean({ ...meta, ...own })),
      tags: clean(tags),
      request,
    })
    const created = await this.#access.ask(signal, (store, limit) =>
      store.create(this.#access.ref(session), create, limit),
    )
    if (!created.ok) return created
    if (created.value.request !== request)
      return err(
        failure('MESSAGE_CONFLICT', 'this key belongs to another session', { status: 409 }),
      )
    if (created.value.fresh) this.#announce('session_created', session)
    return this.#access.row(session, signal)
  }

  async waiting(signal?: AbortSignal): Outcome<number> {
    return this.#access.ask(signal, (store, limit) =>
      store.waiting(this.#access.tenant, this.#access.only, limit),
    )
  }

  async sessions(page: Page, signal?: AbortSignal): ReturnType<AgentClient['sessions']> {
    // Those of sub-agents are in no list.
    const { subagents: _none, kinds = LISTED_KINDS, ...filters } = page
    const filter = { ...filters, kinds }
    const { only } = this.#access
    const mine = only === undefined ? filter : { ...filter, principal: only }
    const listed = await this.#access.ask(signal, (store, limit) =>
      store.list(this.#access.tenant, mine, limit),
    )
    return listed.ok
      ? ok({ ...listed.value, rows: listed.value.rows.map((row) => this.#shown(row)) })
      : listed
  }

  async session(
    session: SessionId,
    signal?: AbortSignal,
    after = 0,
    upto?: number,
  ): Outcome<SessionView> {
    const row = await this.#access.row(session, signal)
    if (!row.ok) return row
    const entries = await this.#access.entries(session, after, signal, upto)
    if (!entries.ok) return entries
    const state = stateOf(row.value)
    const outgoing = this.#runtime.generation().scope.find(OutputRedactor)
    return ok({
      row: this.#shown(row.value),
      state: state.kind === 'run' ? state.state.kind : 'idle',
      asks: openAsks(state),
      unknown: unknownEffects(entries.value)
        .filter(({ settled }) => !settled)
        .map((effect) => ({
          call: effect.outcome.call,
          name: effect.outcome.name,
          at: effect.outcome.at,
          retry: noRetry(effect) === undefined,
          key: keyOf(effect.outcome.run, effect.outcome.call),
          ...(effect.intent && { args: effect.intent.args }),
        })),
      entries: entries.value.map(({ sealed: _sealed, ...unsealed }) => {
        const entry = publicOf(unsealed)
        return outgoing ? outgoing.entry(entry) : entry
      }),
    })
  }

  async queued(session: SessionId, signal?: AbortSignal): Outcome<readonly QueuedMessage[]> {
    const lease = await this.#access.lease(session, signal)
    if (!lease.ok) return lease
    if (lease.value.messages === 0) return ok([])
    const items = await this.#access.ask(signal, (store, limit) =>
      store.inbox(this.#access.ref(session), limit),
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

  /** What an error said may be what may not leave. */
  #shown(row: SessionRow): SessionRow {
    const outgoing =
      row.lastEnd?.message === undefined
        ? undefined
        : this.#runtime.generation().scope.find(OutputRedactor)
    return outgoing && row.lastEnd?.message !== undefined
      ? { ...row, lastEnd: { ...row.lastEnd, message: outgoing.text(row.lastEnd.message) } }
      : row
  }

  async update(
    session: SessionId,
    change: {
      readonly title?: string
      readonly tags?: readonly string[]
      readonly meta?: JsonObject
    },
    signal?: AbortSignal,
  ): Outcome<SessionRow> {
    const barred = await this.#access.barred(session, signal)
    if (barred) return err(barred)
    const { meta, ...rest } = clean(change)
    const done = await this.#access.ask(signal, (store, limit) =>
      store.update(
        this.#access.ref(session),
        { ...rest, ...(meta ? { meta: JSON.stringify(meta) } : {}) },
        limit,
      ),
    )
    if (!done.ok) return done
    const row = done.value ? await this.#access.row(session, signal) : err(unknownSession())
    if (row.ok && !isSubagentSession(row.value))
      this.#announce('session_updated', session, row.value)
    return row
  }

  async remove(session: SessionId, signal?: AbortSignal): Outcome<void> {
    const row = await this.#access.row(session, signal)
    if (!row.ok) return row
    const entries = await this.#access.entries(session, row.value.forkedAt ?? 0, signal)
    const removed = await this.#access.ask(signal, (store, limit) =>
      store.remove(this.#access.ref(session), limit),
    )
    if (!removed.ok) return removed
    if (!removed.value)
      return err(
        failure(
          'RUN_ACTIVE',
          'the session has a run in progress, or a fork that needs its history',
          { status: 409 },
        ),
      )
    this.#runtime.queue.forget(this.#access.ref(session))
    if (!isSubagentSession(row.value))
      this.#runtime.announce(
        { type: 'session_deleted', sessionId: session },
        { tenant: this.#access.tenant, owner: principalId(row.value.principal) },
      )
    const { close } = this.#runtime.hooks().session
    if (close.tapped)
      void close.call(
        { tenant: this.#access.tenant, session, principal: this.#access.principal },
        'removed',
      )
    for (const entry of entries.ok ? entries.value : [])
      if (entry.kind === 'child_opened') await this.remove(entry.child, signal)
    return ok(undefined)
  }

  /**
   * Tells whoever watches the server.
   * @param row where it is known: who began it may be somebody else
   */
  #announce(
    type: 'session_created' | 'session_updated',
    session: SessionId,
    row?: SessionRow,
  ): void {
    this.#runtime.announce(
      { type, sessionId: session, appId: this.#runtime.app, ...(row && { title: row.title }) },
      {
        tenant: this.#access.tenant,
        owner: row ? principalId(row.principal) : this.#access.principal,
      },
    )
  }
}
