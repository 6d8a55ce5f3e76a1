import {
  type Accepted,
  type AgentEvent,
  ApprovalPolicy,
  type Caller,
  type AgentFace,
  type AskAnswer,
  type AskId,
  type CallId,
  err,
  failure,
  type Failure,
  type FollowCursor,
  type Frame,
  type FrameId,
  type InboxBody,
  isAtRest,
  isId,
  type JsonObject,
  type LaneRef,
  type LaneRow,
  ok,
  openAsks,
  Outgoing,
  type Page,
  type PendingAsk,
  type Placed,
  principalId,
  type PrincipalId,
  readEntries,
  type Result,
  type SendRequest,
  type Sent,
  type SessionDraft,
  sessionId,
  type SessionId,
  type SessionRow,
  type SessionTotals,
  type SessionView,
  type Settlement,
  sha256,
  stateOf,
  SUBAGENT_META,
  type TenantId,
  type TurnResult,
} from '@amodal/sdk'
import { askStore, childrenOf, clean, newSessionId } from '@amodal/sdk/loop'
import { randomUUID } from 'node:crypto'
import type { AgentRuntime } from './agent-runtime.ts'
import { answerKey, checkAnswer, keptAnswer, type Answered } from './answer.ts'
import { FrameQueue } from './frame-queue.ts'
import { LiveLog } from './live-log.ts'
import { beginningOf } from './opening.ts'
import { publicOf } from './project.ts'
import { Reader } from './reader.ts'
import { keyOf } from './recover.ts'
import { noRetry, type SettledData, unknownEffect, unknownEffects } from './settle.ts'

type Outcome<T> = Promise<Result<T, Failure>>
/** Sessions with something to decide that are listed at most. */
const MOST_TROUBLED = 200
/** What the store said of an item, and the item as it was written. */
interface Taken {
  readonly accepted: Accepted
  readonly lane: LaneRow
  readonly text: string
}
/**
 * What the store keeps as the answer to a question; `mine`: it is the one that was given just now.
 */
interface KeptAnswer {
  readonly body: Answered
  readonly mine: boolean
}
interface ControlDraft {
  readonly key: string
  readonly body: InboxBody
  /** ms since the epoch on the store's clock. */
  readonly until?: number
  /** A session that is set aside goes on with it. */
  readonly resumes?: boolean
}
const unknown = (): Failure =>
  failure('SESSION_NOT_FOUND', 'there is no such session', { status: 404 })

/** The agent as one tenant's principal sees it. */
export class Face implements AgentFace {
  readonly #runtime: AgentRuntime
  readonly #tenant: TenantId
  readonly #principal: PrincipalId
  readonly #roles: readonly string[]
  readonly #delegated: boolean
  readonly #own: boolean
  /** Why the caller decides nothing. */
  readonly #undecided: Failure | undefined

  constructor(
    runtime: AgentRuntime,
    {
      tenant,
      principal,
      roles = [],
      delegated = false,
      ownSessionsOnly = false,
      mayNotDecide,
    }: Caller,
  ) {
    this.#runtime = runtime
    this.#tenant = tenant
    this.#principal = principal
    this.#roles = roles
    this.#delegated = delegated
    this.#own = ownSessionsOnly
    this.#undecided =
      mayNotDecide === undefined ? undefined : failure('UNAUTHENTICATED', mayNotDecide)
  }

  async send(request: SendRequest, signal?: AbortSignal): Outcome<Sent> {
    const key = request.key ?? randomUUID()
    if (request.text.trim() === '' && !request.images?.length)
      return err(failure('VALIDATION_ERROR', 'message: must not be empty', { status: 400 }))
    const draft = await this.#draft(request)
    if (!draft.ok) return draft
    const barred =
      request.session === undefined ? undefined : await this.#barred(draft.value.session, signal)
    if (barred) return err(barred)
    const body: InboxBody = {
      kind: 'message',
      text: request.text,
      principal: this.#principal,
      ...(request.images?.length ? { images: request.images } : {}),
      ...(request.context ? { context: request.context } : {}),
      ...(request.limits ? { limits: request.limits } : {}),
      ...(this.#roles.length > 0 ? { roles: this.#roles } : {}),
      ...(this.#delegated ? { delegated: true } : {}),
      ...(request.sessionState ? { sessionState: request.sessionState } : {}),
    }
    const linked = request.parent && (await this.#link(request.parent, draft.value, signal))
    if (linked?.ok === false) return linked
    const asked = this.#runtime.clock.monotonic()
    const said = await this.#accept(
      draft.value.session,
      key,
      body,
      isFresh(request) ? draft.value : undefined,
      signal,
      draft.value.title,
    )
    if (!said.ok) return said
    const { accepted, lane, text } = said.value
    const ref = { tenant: this.#tenant, session: draft.value.session }
    if (accepted.fresh && !this.#delegated)
      this.#tell(
        isFresh(request) && lane.head === 0 && lane.fence === 1
          ? 'session_created'
          : 'session_updated',
        ref.session,
      )
    // The answer to an accept may have been lost: its lane is ours, and nobody serves it.
    if (!accepted.fresh && lane.owner === this.#runtime.owner && !this.#runtime.queue.owns(ref))
      this.#runtime.queue.claim(lane, asked)
    const queue = new FrameQueue(request.events)
    // What was sent before is told from its beginning: whoever has this frame and no more has
    // nothing of it yet.
    const begun = accepted.fresh
      ? ok(lane.head)
      : await this.#within(signal, (limit) => beginningOf(key, lane, this.#runtime.store(), limit))
    if (!begun.ok) return begun
    const begin = begun.value
    queue.push({
      id: { seq: begin, fence: lane.fence, attempt: 0, n: 0 },
      at: this.#runtime.clock.now(),
      event: { type: 'init', session_id: ref.session },
    })
    // An answer has come where somebody is at it: then the message is next.
    const waits = lane.parked && lane.owner === undefined
    const sent = { session: ref.session, key, repeated: !accepted.fresh, waits, frames: queue }
    const reader = new Reader(
      this.#runtime,
      { ref, key, from: { seq: begin, fence: 0, attempt: 0, n: 0 } },
      queue,
    )
    if (accepted.claimed) {
      const live = new LiveLog(key, lane.head, lane.fence)
      reader.join(live, 0)
      this.#runtime.queue.claim(lane, asked, {
        item: { key, n: 0, body: text, control: false },
        live,
      })
    } else {
      void reader.read()
    }
    if (lane.parked) this.#settleExpired(lane)
    return ok(sent)
  }

  async ask(request: SendRequest, signal?: AbortSignal): Outcome<TurnResult> {
    const sent = await this.send(request, signal)
    if (!sent.ok) return sent
    const { frames, session, waits } = sent.value
    let told: Frame[] = []
    let over: Extract<AgentEvent, { type: 'done' }> | undefined
    const stop = (): void => frames.close()
    signal?.addEventListener('abort', stop, { once: true })
    // Behind a run that waits for a person nothing will come: that question is what the caller has
    // to answer.
    if (waits) stop()
    try {
      for await (const frame of frames) {
        const { event } = frame
        if (event.type === 'reset')
          told = told.filter(
            ({ id }) => id.seq < event.after_seq || (id.seq === event.after_seq && id.n === 0),
          )
        else told.push(frame)
        if (event.type === 'done') over = event
        if (
          event.type === 'confirmation_required' ||
          event.type === 'ask_user' ||
          event.type === 'ask_choice'
        )
          break
      }
    } finally {
      signal?.removeEventListener('abort', stop)
    }
    const events = told.map(({ event }) => event)
    const text = events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')
    const view = over ? undefined : await this.session(session, signal)
    return ok({
      session,
      text,
      events,
      reason: over?.reason,
      usage: over?.usage,
      pending: view?.ok ? view.value.asks : [],
    })
  }

  async answer(
    session: SessionId,
    answers: readonly AskAnswer[],
    signal?: AbortSignal,
  ): Outcome<{ readonly settled: readonly AskId[] }> {
    if (this.#undecided) return err(this.#undecided)
    const lane = await this.#lane(session, signal)
    if (!lane.ok) return lane
    const state = stateOf(lane.value)
    const open = openAsks(state)
    const policy = this.#runtime.generation().scope.find(ApprovalPolicy)
    for (const { id, answer } of answers) {
      const ask = open.find((one) => one.id === id)
      if (!ask)
        return err(failure('ASK_NOT_FOUND', `the question "${id}" is not open`, { status: 404 }))
      if (hasExpired(ask, lane.value)) {
        this.#settleExpired(lane.value)
        return err(expired(id))
      }
      const may = policy?.mayAnswer(ask, {
        principal: this.#principal,
        roles: this.#roles,
        asker: state.kind === 'run' ? state.record.principal : this.#principal,
      })
      if (may && !may.ok) return may
      const fits = checkAnswer(ask, answer)
      if (!fits.ok)
        return err(
          failure('ANSWER_INVALID', fits.error, {
            status: 400,
            details: { pending_input_schema: ask.schema },
          }),
        )
    }
    const settled: AskId[] = []
    const lost: AskId[] = []
    for (const { id, answer } of answers) {
      const ask = open.find((one) => one.id === id)
      if (!ask) continue // checked above
      const kept = await this.#keepAnswer(
        session,
        ask,
        { kind: 'answer', ask: id, answer, principal: this.#principal },
        signal,
      )
      if (!kept.ok) return kept
      if (kept.value.mine) settled.push(id)
      else lost.push(id)
    }
    if (lost.length > 0) {
      const rest = settled.length > 0 ? `; these answers count: ${settled.join(', ')}` : ''
      return err(
        failure('ASK_NOT_FOUND', `answered before: ${lost.join(', ')}${rest}`, {
          status: 409,
          details: { settled },
        }),
      )
    }
    return ok({ settled })
  }

  /**
   * Writes an answer where it counts. The first one that is written is the answer, whoever gave it:
   * everybody who acts on it reads it from the store. A sub-agent's question is answered where it
   * was asked, and its parent is given what was kept there.
   */
  async #keepAnswer(
    session: SessionId,
    { id, child, expires_at: until }: PendingAsk,
    given: Answered,
    signal: AbortSignal | undefined,
  ): Outcome<KeptAnswer> {
    const inner = child && (await this.#keptByChild(child, id, given, signal))
    if (inner?.ok === false) return inner
    // What a sub-agent has taken is given to its parent, however late.
    const said = await this.#control(
      session,
      {
        key: answerKey(id),
        body: inner?.value.body ?? given,
        ...(child === undefined && until !== undefined ? { until } : {}),
      },
      signal,
    )
    if (!said.ok) return said
    if (said.value === 'late') return err(expired(id))
    return ok(inner?.value ?? { body: given, mine: said.value === 'accepted' })
  }

  /** Nothing has to wait until somebody looks for what has expired. */
  #settleExpired(lane: LaneRow): void {
    if (openAsks(stateOf(lane)).some((ask) => hasExpired(ask, lane))) this.#runtime.queue.look()
  }

  async #keptByChild(
    child: SessionId,
    id: AskId,
    given: Answered,
    signal: AbortSignal | undefined,
  ): Outcome<KeptAnswer> {
    const lane = await this.#lane(child, signal)
    if (!lane.ok)
      return lane.error.code === 'SESSION_NOT_FOUND' ? ok({ body: given, mine: false }) : lane
    const ask = openAsks(stateOf(lane.value)).find((one) => one.id === id)
    const kept = ask && (await this.#keepAnswer(child, ask, given, signal))
    if (kept && (!kept.ok || kept.value.mine)) return kept
    // It has an answer already: the one in its inbox, or in its journal once it has gone on with
    // it.
    const earlier = await this.#within(signal, (limit) =>
      keptAnswer(this.#runtime.store(), this.#ref(child), id, limit),
    )
    return earlier.ok ? ok({ body: earlier.value ?? given, mine: false }) : earlier
  }

  async cancel(session: SessionId, signal?: AbortSignal): Outcome<{ readonly active: boolean }> {
    const lane = await this.#lane(session, signal)
    if (!lane.ok) return lane
    const state = stateOf(lane.value)
    const isSetAside = lane.value.setAside !== undefined
    if (state.kind === 'idle' && lane.value.owner === undefined && !isSetAside)
      return ok({ active: false })
    for (const { child } of childrenOf(state)) await this.cancel(child, signal)
    const said = await this.#control(
      session,
      {
        key: randomUUID(),
        body: { kind: 'cancel', principal: this.#principal },
        resumes: isSetAside,
      },
      signal,
    )
    return said.ok ? ok({ active: true }) : said
  }

  async retry(session: SessionId, signal?: AbortSignal): Outcome<void> {
    if (this.#undecided) return err(this.#undecided)
    const lane = await this.#lane(session, signal)
    if (!lane.ok) return lane
    if (lane.value.setAside === undefined)
      return err(failure('VALIDATION_ERROR', 'the session is not set aside', { status: 409 }))
    const said = await this.#control(
      session,
      { key: randomUUID(), body: { kind: 'retry', principal: this.#principal }, resumes: true },
      signal,
    )
    return said.ok ? ok(undefined) : said
  }

  async troubled(signal?: AbortSignal): Outcome<readonly SessionRow[]> {
    return this.#within(signal, (limit) =>
      this.#runtime
        .store()
        .troubled(this.#tenant, this.#own ? this.#principal : undefined, MOST_TROUBLED, limit),
    )
  }

  async settle(
    session: SessionId,
    call: CallId,
    settlement: Settlement,
    signal?: AbortSignal,
  ): Outcome<{ readonly settled: boolean }> {
    if (this.#undecided) return err(this.#undecided)
    const entries = await this.#entries(session, signal)
    if (!entries.ok) return entries
    const effect = unknownEffect(entries.value, call)
    if (!effect)
      return err(failure('NOT_FOUND', `the call "${call}" has no unknown outcome`, { status: 404 }))
    if (effect.settled)
      return err(
        failure('ASK_NOT_FOUND', `the outcome of "${call}" was settled before`, { status: 409 }),
      )
    const refused = settlement === 'retry' ? noRetry(effect) : undefined
    if (refused !== undefined)
      return err(
        failure(
          'VALIDATION_ERROR',
          `outcome: the call cannot be made again: ${refused}. Look at the target, then say "happened" or "not_happened"`,
          { status: 409 },
        ),
      )
    const roles = this.#roles.length > 0 ? { roles: this.#roles } : {}
    const done = await this.#served(
      session,
      { kind: 'settle', call, settlement, principal: this.#principal, ...roles },
      signal,
    )
    if (!done.ok) return done
    const now = await this.#entries(session, signal)
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

  async clear(session: SessionId, signal?: AbortSignal): Outcome<void> {
    const barred = await this.#barred(session, signal)
    if (barred) return err(barred)
    return this.#served(session, { kind: 'clear', principal: this.#principal }, signal)
  }

  /** Resolves when the item is done; where others are before it, when it is accepted. */
  async #served(
    session: SessionId,
    body: InboxBody,
    signal: AbortSignal | undefined,
  ): Outcome<void> {
    const key = randomUUID()
    const asked = this.#runtime.clock.monotonic()
    const said = await this.#accept(session, key, body, undefined, signal)
    if (!said.ok) return said
    const { accepted, lane, text } = said.value
    if (!accepted.claimed) return ok(undefined) // waits its turn, like a message
    const live = new LiveLog(key, lane.head, lane.fence)
    const done = new Promise<void>((resolve) => live.onEnd(() => resolve()))
    this.#runtime.queue.claim(lane, asked, {
      item: { key, n: 0, body: text, control: false },
      live,
    })
    await done
    return ok(undefined)
  }

  async fork(
    session: SessionId,
    at: number | undefined,
    signal?: AbortSignal,
  ): Outcome<SessionRow> {
    const row = await this.#row(session, signal)
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
    const made = await this.#within(signal, (limit) =>
      this.#runtime
        .store()
        .fork(this.#ref(session), child, seq, { principal: this.#principal, title, meta }, limit),
    )
    if (!made.ok) return made
    if (!made.value) return err(unknown())
    this.#tell('session_created', child)
    return this.#row(child, signal)
  }

  async follow(
    session: SessionId,
    from: FrameId | undefined,
    key?: string,
    signal?: AbortSignal,
    events?: SendRequest['events'],
  ): Outcome<FollowCursor> {
    const lane = await this.#lane(session, signal)
    if (!lane.ok) return lane
    const state = stateOf(lane.value)
    const queue = new FrameQueue(events)
    // Without a place to go on from: a message's turn, or the run in progress, from its beginning.
    const begin = key !== undefined ? 0 : state.kind === 'run' ? state.record.from : lane.value.head
    const start = from ?? { seq: begin, fence: lane.value.fence, attempt: 0, n: 0 }
    void new Reader(
      this.#runtime,
      { ref: this.#ref(session), from: start, ...(key === undefined ? {} : { key }) },
      queue,
    ).resume()
    return ok(Object.assign(queue, { atRest: isAtRest(lane.value) }))
  }

  async totals(signal?: AbortSignal): Outcome<SessionTotals> {
    return this.#within(signal, (limit) =>
      this.#runtime.store().totals(this.#tenant, this.#own ? this.#principal : undefined, limit),
    )
  }

  async open(
    { title = '', tags, meta = {}, headers, key }: Parameters<AgentFace['open']>[0] = {},
    signal?: AbortSignal,
  ): Outcome<SessionRow> {
    // Not the session that a message under this key would begin.
    const keyed = key === undefined ? {} : { key: JSON.stringify(['open', key]) }
    const draft = await this.#draft({ text: title, ...(headers ? { headers } : {}), ...keyed })
    if (!draft.ok) return draft
    const { session, meta: own } = draft.value
    const create = {
      principal: this.#principal,
      title: clean(title === '' ? draft.value.title : title),
      meta: JSON.stringify(clean({ ...meta, ...own })),
      ...(tags && { tags: clean(tags) }),
    }
    const asked =
      key === undefined ? {} : { request: sha256(JSON.stringify([title, tags ?? [], meta])) }
    const made = await this.#within(signal, (limit) =>
      this.#runtime.store().create(this.#ref(session), { ...create, ...asked }, limit),
    )
    if (!made.ok) return made
    if (made.value.request !== asked.request)
      return err(
        failure('MESSAGE_CONFLICT', 'this key belongs to another session', { status: 409 }),
      )
    if (made.value.fresh) this.#tell('session_created', session)
    return this.#row(session, signal)
  }

  async waiting(signal?: AbortSignal): Outcome<number> {
    return this.#within(signal, (limit) =>
      this.#runtime.store().waiting(this.#tenant, this.#own ? this.#principal : undefined, limit),
    )
  }

  async sessions(page: Page, signal?: AbortSignal): ReturnType<AgentFace['sessions']> {
    const { subagents: _none, ...asked } = page // they are in no list
    const mine = this.#own ? { ...asked, principal: this.#principal } : asked
    const listed = await this.#within(signal, (limit) =>
      this.#runtime.store().list(this.#tenant, mine, limit),
    )
    return listed.ok
      ? ok({ ...listed.value, rows: listed.value.rows.map((row) => this.#shown(row)) })
      : listed
  }

  /** The whole journal of a session that the principal may see. */
  async #entries(session: SessionId, signal: AbortSignal | undefined): Outcome<readonly Placed[]> {
    const row = await this.#row(session, signal)
    if (!row.ok) return row
    const stored = await this.#within(signal, (limit) =>
      this.#runtime.store().entries(this.#ref(session), { after: 0 }, limit),
    )
    return stored.ok ? readEntries(stored.value) : stored
  }

  async session(session: SessionId, signal?: AbortSignal): Outcome<SessionView> {
    const row = await this.#row(session, signal)
    if (!row.ok) return row
    const stored = await this.#within(signal, (limit) =>
      this.#runtime.store().entries(this.#ref(session), { after: 0 }, limit),
    )
    const entries = stored.ok ? readEntries(stored.value) : stored
    if (!entries.ok) return entries
    const state = stateOf(row.value)
    const outgoing = this.#runtime.generation().scope.find(Outgoing)
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
      entries: entries.value.map(({ sealed: _sealed, ...kept }) => {
        const entry = publicOf(kept)
        return outgoing ? outgoing.entry(entry) : entry
      }),
    })
  }

  /** What an error said may be what may not leave. */
  #shown(row: SessionRow): SessionRow {
    const outgoing =
      row.lastEnd?.message === undefined
        ? undefined
        : this.#runtime.generation().scope.find(Outgoing)
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
    const barred = await this.#barred(session, signal)
    if (barred) return err(barred)
    const { meta, ...rest } = clean(change)
    const done = await this.#within(signal, (limit) =>
      this.#runtime
        .store()
        .update(
          this.#ref(session),
          { ...rest, ...(meta ? { meta: JSON.stringify(meta) } : {}) },
          limit,
        ),
    )
    if (!done.ok) return done
    const row = done.value ? await this.#row(session, signal) : err(unknown())
    if (row.ok && !isChild(row.value)) this.#tell('session_updated', session, row.value)
    return row
  }

  async remove(session: SessionId, signal?: AbortSignal): Outcome<void> {
    const row = await this.#row(session, signal)
    if (!row.ok) return row
    const stored = await this.#within(signal, (limit) =>
      this.#runtime.store().entries(this.#ref(session), { after: row.value.forkedAt ?? 0 }, limit),
    )
    const entries = stored.ok ? readEntries(stored.value) : stored
    const gone = await this.#within(signal, (limit) =>
      this.#runtime.store().remove(this.#ref(session), limit),
    )
    if (!gone.ok) return gone
    if (!gone.value)
      return err(
        failure(
          'RUN_ACTIVE',
          'the session has a run in progress, or a fork that needs its history',
          { status: 409 },
        ),
      )
    this.#runtime.queue.forget(this.#ref(session))
    if (!isChild(row.value))
      this.#runtime.announce(
        { type: 'session_deleted', sessionId: session },
        { tenant: this.#tenant, owner: principalId(row.value.principal) },
      )
    const { close } = this.#runtime.hooks().session
    if (close.tapped)
      void close.call({ tenant: this.#tenant, session, principal: this.#principal }, 'removed')
    for (const entry of entries.ok ? entries.value : [])
      if (entry.kind === 'child_opened') await this.remove(entry.child, signal)
    return ok(undefined)
  }

  /**
   * Makes the session of a sub-agent: one that shares nothing with its parent's. The same again
   * changes nothing.
   */
  async #link(
    { session: parent, agent }: NonNullable<SendRequest['parent']>,
    { session, title, meta }: SessionDraft,
    signal: AbortSignal | undefined,
  ): Outcome<void> {
    const create = {
      principal: this.#principal,
      title: clean(title),
      meta: JSON.stringify({ ...clean(meta), [SUBAGENT_META]: clean(agent) }),
    }
    const made = await this.#within(signal, (limit) =>
      this.#runtime.store().fork(this.#ref(parent), session, 0, create, limit),
    )
    if (!made.ok) return made
    return made.value ? ok(undefined) : err(unknown())
  }

  /**
   * Tells whoever watches the server.
   * @param row where it is known: who began it may be somebody else
   */
  #tell(type: 'session_created' | 'session_updated', session: SessionId, row?: SessionRow): void {
    this.#runtime.announce(
      { type, sessionId: session, appId: this.#runtime.app, ...(row && { title: row.title }) },
      { tenant: this.#tenant, owner: row ? principalId(row.principal) : this.#principal },
    )
  }

  #ref(session: SessionId): LaneRef {
    return { tenant: this.#tenant, session }
  }

  async #draft(request: SendRequest): Outcome<SessionDraft> {
    if (this.#runtime.unavailable) return err(this.#runtime.unavailable)
    if (request.session !== undefined && !isId(request.session)) return err(unknown())
    const draft: SessionDraft = {
      tenant: this.#tenant,
      session: request.session ?? this.#newSession(request.key),
      principal: this.#principal,
      title: request.text.trim().replaceAll(/\s+/g, ' ').slice(0, 80),
      meta: {},
    }
    const { open } = this.#runtime.hooks().session
    if (!open.tapped) return ok(draft)
    const opened = await open.call(draft, {
      fresh: isFresh(request),
      headers: request.headers ?? {},
      context: request.context ?? {},
    })
    return opened.ok
      ? ok({
          ...opened.value,
          tenant: this.#tenant,
          session: draft.session,
          principal: this.#principal,
        })
      : err(opened.error.toFailure())
  }

  /**
   * The same key finds the same session, so that a first message which is sent again, its answer
   * lost, is one message.
   */
  #newSession(key: string | undefined): SessionId {
    return key === undefined
      ? newSessionId()
      : sessionId(
          `sess_${sha256(JSON.stringify([this.#tenant, this.#principal, key])).slice(0, 24)}`,
        )
  }

  /** Puts an item into the inbox. From here on it will be answered, whatever dies. */
  async #accept(
    session: SessionId,
    key: string,
    body: InboxBody,
    create: SessionDraft | undefined,
    signal: AbortSignal | undefined,
    title = '',
  ): Outcome<Taken> {
    const text = JSON.stringify(clean(body))
    const { settings, owner } = this.#runtime
    const said = await this.#within(signal, (limit) =>
      this.#runtime.store().accept(
        {
          ...this.#ref(session),
          key,
          body: text,
          control: false,
          owner,
          claims: this.#runtime.queue.claims,
          leaseMs: settings.leaseMs,
          ...(body.kind === 'message' ? { most: settings.queue, title: clean(title) } : {}),
          ...(create
            ? {
                create: {
                  principal: create.principal,
                  title: clean(create.title),
                  meta: JSON.stringify(clean(create.meta)),
                },
              }
            : {}),
        },
        limit,
      ),
    )
    if (!said.ok) return said
    const { lane } = said.value
    if (!lane) return err(unknown())
    if (lane.status === 'expired')
      return err(
        failure('SESSION_EXPIRED', 'the history of this session has expired', { status: 410 }),
      )
    if (said.value.full)
      return err(
        failure('QUEUE_FULL', 'too many messages of this session wait for an answer', {
          status: 429,
        }),
      )
    if (!said.value.fresh && said.value.earlier !== undefined && said.value.earlier !== text)
      return err(
        failure('MESSAGE_CONFLICT', 'this key belongs to another message', { status: 409 }),
      )
    return ok({ accepted: said.value, lane, text })
  }

  async #control(
    session: SessionId,
    { key, body, until, resumes = false }: ControlDraft,
    signal: AbortSignal | undefined,
  ): Outcome<'accepted' | 'repeated' | 'late'> {
    const text = JSON.stringify(clean(body))
    const asked = this.#runtime.clock.monotonic()
    const { settings, owner } = this.#runtime
    const item = {
      ...this.#ref(session),
      key,
      body: text,
      control: true,
      owner,
      claims: this.#runtime.queue.claims,
      leaseMs: settings.leaseMs,
      resumes,
      ...(until === undefined ? {} : { until }),
    }
    const said = await this.#within(signal, (limit) => this.#runtime.store().accept(item, limit))
    if (!said.ok) return said
    const { lane, claimed, fresh, late } = said.value
    if (!lane) return err(unknown())
    if (late) return ok('late')
    if (lane.status === 'expired')
      return err(
        failure('SESSION_EXPIRED', 'the history of this session has expired', { status: 410 }),
      )
    if (claimed) this.#runtime.queue.claim(lane, asked)
    else if (fresh)
      this.#runtime.queue.control(this.#ref(session), { key, n: 0, body: text, control: true })
    // what counts is what was kept, which may say something else
    else void this.#runtime.queue.poke(this.#ref(session))
    return ok(fresh ? 'accepted' : 'repeated')
  }

  async #lane(session: SessionId, signal: AbortSignal | undefined): Outcome<LaneRow> {
    if (!isId(session)) return err(unknown())
    const barred = await this.#barred(session, signal)
    if (barred) return err(barred)
    const lane = await this.#within(signal, (limit) =>
      this.#runtime.store().lane(this.#ref(session), limit),
    )
    if (!lane.ok) return lane
    return lane.value ? ok(lane.value) : err(unknown())
  }

  async #row(session: SessionId, signal: AbortSignal | undefined): Outcome<SessionRow> {
    if (!isId(session)) return err(unknown())
    const row = await this.#within(signal, (limit) =>
      this.#runtime.store().row(this.#ref(session), limit),
    )
    if (!row.ok) return row
    return row.value && this.#maySee(row.value) ? ok(row.value) : err(unknown())
  }

  /** Why a session that is there is not for this principal; `undefined` for a new one. */
  async #barred(session: SessionId, signal: AbortSignal | undefined): Promise<Failure | undefined> {
    if (!this.#own) return undefined
    const row = await this.#within(signal, (limit) =>
      this.#runtime.store().row(this.#ref(session), limit),
    )
    if (!row.ok) return row.error
    return row.value && !this.#maySee(row.value) ? unknown() : undefined
  }

  #maySee({ principal }: SessionRow): boolean {
    return !this.#own || principal === this.#principal
  }

  async #within<T>(
    signal: AbortSignal | undefined,
    work: (limit: AbortSignal) => Outcome<T>,
  ): Outcome<T> {
    const { unavailable, settings } = this.#runtime
    return unavailable ? err(unavailable) : askStore(settings.storeMs, work, signal)
  }
}

const hasExpired = ({ expires_at: at = Infinity }: PendingAsk, { at: now }: LaneRow): boolean =>
  at <= now
const expired = (id: AskId): Failure =>
  failure('ASK_NOT_FOUND', `the question "${id}" has expired`, { status: 410 })

/** The session of a sub-agent, which is in no list. */
export const isChild = ({ parent, forkedAt, meta }: SessionRow): boolean =>
  parent !== undefined &&
  forkedAt === 0 &&
  // written by `send` and `update`
  typeof (JSON.parse(meta) as JsonObject)[SUBAGENT_META] === 'string'

const isFresh = ({ session, create }: SendRequest): boolean =>
  session === undefined || create === true
