import {
  type Accepted, type AgentEvent, ApprovalPolicy, type Caller, type AgentFace, type AskAnswer, type AskId, askStore, childrenOf, clean, err, failure, type Failure,
  type Frame, type FrameCursor, type FrameId, type InboxBody, isId, type JsonObject, type LaneRef, type LaneRow,
  newSessionId, ok, openAsks, Outgoing, principalId, type PrincipalId, readEntries, type Result, type SendRequest, type Sent, type SessionDraft,
  sessionId, type SessionId, type SessionRow, type SessionTotals, type SessionView, sha256, stateOf, SUBAGENT_META, type TenantId, type TurnResult,
} from '@amodal/sdk'
import { randomUUID } from 'node:crypto'
import type { AgentRuntime } from './agent-runtime.ts'
import { checkAnswer } from './answer.ts'
import { FrameQueue } from './frame-queue.ts'
import { LiveLog } from './live-log.ts'
import { publicOf } from './project.ts'
import { Reader } from './reader.ts'

type Outcome<T> = Promise<Result<T, Failure>>
/** What the store said of an item, and the item as it was written. */
interface Taken { readonly accepted: Accepted; readonly lane: LaneRow; readonly text: string }
const unknown = (): Failure => failure('SESSION_NOT_FOUND', 'there is no such session', { status: 404 })

/** The agent as one tenant's principal sees it. */
export class Face implements AgentFace {
  readonly #runtime: AgentRuntime
  readonly #tenant: TenantId
  readonly #principal: PrincipalId
  readonly #roles: readonly string[]
  readonly #delegated: boolean
  readonly #own: boolean

  constructor(runtime: AgentRuntime, { tenant, principal, roles = [], delegated = false, ownSessionsOnly = false }: Caller) {
    this.#runtime = runtime
    this.#tenant = tenant
    this.#principal = principal
    this.#roles = roles
    this.#delegated = delegated
    this.#own = ownSessionsOnly
  }

  async send(request: SendRequest, signal?: AbortSignal): Outcome<Sent> {
    const key = request.key ?? randomUUID()
    if (request.text.trim() === '' && !request.images?.length) return err(failure('VALIDATION_ERROR', 'message: must not be empty', { status: 400 }))
    const draft = await this.#draft(request)
    if (!draft.ok) return draft
    const barred = request.session === undefined ? undefined : await this.#barred(draft.value.session, signal)
    if (barred) return err(barred)
    const body: InboxBody = {
      kind: 'message', text: request.text, principal: this.#principal,
      ...(request.images?.length ? { images: request.images } : {}), ...(request.context ? { context: request.context } : {}),
      ...(request.limits ? { limits: request.limits } : {}), ...(this.#roles.length > 0 ? { roles: this.#roles } : {}), ...(this.#delegated ? { delegated: true } : {}),
      ...(request.sessionState ? { sessionState: request.sessionState } : {}),
    }
    const linked = request.parent && await this.#link(request.parent, draft.value, signal)
    if (linked?.ok === false) return linked
    const asked = this.#runtime.clock.monotonic()
    if (this.#runtime.waiting(this.#ref(draft.value.session)) >= this.#runtime.settings.queue) {
      return err(failure('QUEUE_FULL', 'too many messages of this session wait for an answer', { status: 429 }))
    }
    const said = await this.#accept(draft.value.session, key, body, isFresh(request) ? draft.value : undefined, signal)
    if (!said.ok) return said
    const { accepted, lane, text } = said.value
    const ref = { tenant: this.#tenant, session: draft.value.session }
    if (accepted.fresh && !this.#delegated) this.#tell(isFresh(request) && lane.head === 0 && lane.fence === 1 ? 'session_created' : 'session_updated', ref.session)
    const queue = new FrameQueue()
    // What was sent before is told from the beginning: whoever has this frame and no more has nothing of it yet.
    const begin = accepted.fresh ? lane.head : 0
    queue.push({ id: { seq: begin, fence: lane.fence, attempt: 0, n: 0 }, at: this.#runtime.clock.now(), event: { type: 'init', session_id: ref.session } })
    // An answer has come where somebody is at it: then the message is next.
    const waits = lane.parked && lane.owner === undefined
    const sent = { session: ref.session, key, repeated: !accepted.fresh, waits, frames: queue }
    const reader = new Reader(this.#runtime, { ref, key, from: { seq: begin, fence: 0, attempt: 0, n: 0 } }, queue)
    if (accepted.claimed) {
      const live = new LiveLog(key, lane.head, lane.fence)
      reader.join(live, 0)
      this.#runtime.queue.claim(lane, asked, { item: { key, n: 0, body: text, control: false }, live })
    } else {
      // The answer to an accept may have been lost: its lane is ours, and nobody serves it.
      if (!accepted.fresh && lane.owner === this.#runtime.owner && !this.#runtime.queue.owns(ref)) this.#runtime.queue.claim(lane, asked)
      this.#runtime.wait(ref, queue)
      void reader.read()
    }
    if (lane.parked) void this.#runtime.queue.expire(ref)
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
    // Behind a run that waits for a person nothing will come: that question is what the caller has to answer.
    if (waits) stop()
    try {
      for await (const frame of frames) {
        const { event } = frame
        if (event.type === 'reset') told = told.filter(({ id }) => id.seq < event.after_seq || (id.seq === event.after_seq && id.n === 0))
        else told.push(frame)
        if (event.type === 'done') over = event
        if (event.type === 'confirmation_required' || event.type === 'ask_user' || event.type === 'ask_choice') break
      }
    } finally {
      signal?.removeEventListener('abort', stop)
    }
    const events = told.map(({ event }) => event)
    const text = events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')
    const view = over ? undefined : await this.session(session, signal)
    return ok({ session, text, events, reason: over?.reason, usage: over?.usage, pending: view?.ok ? view.value.asks : [] })
  }

  async answer(session: SessionId, answers: readonly AskAnswer[], signal?: AbortSignal): Outcome<{ readonly settled: readonly AskId[] }> {
    const lane = await this.#lane(session, signal)
    if (!lane.ok) return lane
    const state = stateOf(lane.value)
    const open = openAsks(state)
    const policy = this.#runtime.generation().scope.find(ApprovalPolicy)
    for (const { id, answer } of answers) {
      const ask = open.find((one) => one.id === id)
      if (!ask) return err(failure('ASK_NOT_FOUND', `the question "${id}" is not open`, { status: 404 }))
      if ((ask.expires_at ?? Infinity) <= this.#runtime.clock.now()) {
        void this.#runtime.queue.expire(this.#ref(session))
        return err(failure('ASK_NOT_FOUND', `the question "${id}" has expired`, { status: 410 }))
      }
      const may = policy?.mayAnswer(ask, { principal: this.#principal, roles: this.#roles, asker: state.kind === 'run' ? state.record.principal : this.#principal })
      if (may && !may.ok) return may
      const fits = checkAnswer(ask, answer)
      if (!fits.ok) return err(failure('ANSWER_INVALID', fits.error, { status: 400, details: { pending_input_schema: ask.schema } }))
    }
    for (const { id, answer } of answers) {
      // A sub-agent's question: it has the answer before its parent goes on. One that waits no more has settled it itself.
      const child = open.find((one) => one.id === id)?.child
      const passed = child && await this.answer(child, [{ id, answer }], signal)
      if (passed?.ok === false && passed.error.code !== 'ASK_NOT_FOUND' && passed.error.code !== 'SESSION_NOT_FOUND') return passed
      const said = await this.#control(session, `answer:${id}`, { kind: 'answer', ask: id, answer, principal: this.#principal }, signal)
      if (!said.ok) return said
      if (said.value === 'repeated') return err(failure('ASK_NOT_FOUND', `the question "${id}" was answered before`, { status: 409 }))
    }
    return ok({ settled: answers.map(({ id }) => id) })
  }

  async cancel(session: SessionId, signal?: AbortSignal): Outcome<{ readonly active: boolean }> {
    const lane = await this.#lane(session, signal)
    if (!lane.ok) return lane
    const state = stateOf(lane.value)
    if (state.kind === 'idle' && lane.value.owner === undefined) return ok({ active: false })
    for (const { child } of childrenOf(state)) await this.cancel(child, signal)
    const said = await this.#control(session, randomUUID(), { kind: 'cancel', principal: this.#principal }, signal)
    return said.ok ? ok({ active: true }) : said
  }

  async clear(session: SessionId, signal?: AbortSignal): Outcome<void> {
    const barred = await this.#barred(session, signal)
    if (barred) return err(barred)
    const key = randomUUID()
    const asked = this.#runtime.clock.monotonic()
    const said = await this.#accept(session, key, { kind: 'clear', principal: this.#principal }, undefined, signal)
    if (!said.ok) return said
    const { accepted, lane, text } = said.value
    if (!accepted.claimed) return ok(undefined) // waits its turn, like a message
    const live = new LiveLog(key, lane.head, lane.fence)
    const done = new Promise<void>((resolve) => live.onEnd(() => resolve()))
    this.#runtime.queue.claim(lane, asked, { item: { key, n: 0, body: text, control: false }, live })
    await done
    return ok(undefined)
  }

  async fork(session: SessionId, at: number | undefined, signal?: AbortSignal): Outcome<SessionRow> {
    const row = await this.#row(session, signal)
    if (!row.ok) return row
    const seq = at ?? row.value.head
    if (!Number.isInteger(seq) || seq < 0 || seq > row.value.head) return err(failure('VALIDATION_ERROR', `at: must be a whole number from 0 to ${row.value.head}`, { status: 400 }))
    const child = newSessionId()
    const { title, meta } = row.value
    const made = await this.#within(signal, (limit) => this.#runtime.store().fork(this.#ref(session), child, seq, { principal: this.#principal, title, meta }, limit))
    if (!made.ok) return made
    if (!made.value) return err(unknown())
    this.#tell('session_created', child)
    return this.#row(child, signal)
  }

  async follow(session: SessionId, from: FrameId | undefined, key?: string, signal?: AbortSignal): Outcome<FrameCursor> {
    const lane = await this.#lane(session, signal)
    if (!lane.ok) return lane
    const state = stateOf(lane.value)
    const queue = new FrameQueue()
    // Without a place to go on from: a message's turn, or the run in progress, from its beginning.
    const begin = key !== undefined ? 0 : state.kind === 'run' ? state.record.from : lane.value.head
    const start = from ?? { seq: begin, fence: lane.value.fence, attempt: 0, n: 0 }
    void new Reader(this.#runtime, { ref: this.#ref(session), from: start, ...(key === undefined ? {} : { key }) }, queue).resume()
    return ok(queue)
  }

  async totals(signal?: AbortSignal): Outcome<SessionTotals> {
    return this.#within(signal, (limit) => this.#runtime.store().totals(this.#tenant, this.#own ? this.#principal : undefined, limit))
  }

  async sessions(page: { readonly limit: number; readonly cursor?: string }, signal?: AbortSignal): ReturnType<AgentFace['sessions']> {
    const mine = this.#own ? { ...page, principal: this.#principal } : page
    const listed = await this.#within(signal, (limit) => this.#runtime.store().list(this.#tenant, mine, limit))
    return listed.ok ? ok({ ...listed.value, rows: listed.value.rows.filter((row) => !isChild(row)) }) : listed
  }

  async session(session: SessionId, signal?: AbortSignal): Outcome<SessionView> {
    const row = await this.#row(session, signal)
    if (!row.ok) return row
    const stored = await this.#within(signal, (limit) => this.#runtime.store().entries(this.#ref(session), { after: 0 }, limit))
    const entries = stored.ok ? readEntries(stored.value) : stored
    if (!entries.ok) return entries
    const state = stateOf(row.value)
    const outgoing = this.#runtime.generation().scope.find(Outgoing)
    return ok({
      row: row.value, state: state.kind === 'run' ? state.state.kind : 'idle',
      asks: openAsks(state),
      entries: entries.value.map(({ sealed: _sealed, ...kept }) => {
        const entry = publicOf(kept)
        return outgoing ? outgoing.entry(entry) : entry
      }),
    })
  }

  async update(session: SessionId, change: { readonly title?: string; readonly tags?: readonly string[]; readonly meta?: JsonObject }, signal?: AbortSignal): Outcome<SessionRow> {
    const barred = await this.#barred(session, signal)
    if (barred) return err(barred)
    const { meta, ...rest } = clean(change)
    const done = await this.#within(signal, (limit) => this.#runtime.store().update(this.#ref(session), { ...rest, ...(meta ? { meta: JSON.stringify(meta) } : {}) }, limit))
    if (!done.ok) return done
    const row = done.value ? await this.#row(session, signal) : err(unknown())
    if (row.ok && !isChild(row.value)) this.#tell('session_updated', session, row.value)
    return row
  }

  async remove(session: SessionId, signal?: AbortSignal): Outcome<void> {
    const row = await this.#row(session, signal)
    if (!row.ok) return row
    const stored = await this.#within(signal, (limit) => this.#runtime.store().entries(this.#ref(session), { after: row.value.forkedAt ?? 0 }, limit))
    const entries = stored.ok ? readEntries(stored.value) : stored
    const gone = await this.#within(signal, (limit) => this.#runtime.store().remove(this.#ref(session), limit))
    if (!gone.ok) return gone
    if (!gone.value) return err(failure('RUN_ACTIVE', 'the session has a run in progress, or a fork that needs its history', { status: 409 }))
    this.#runtime.queue.forget(this.#ref(session))
    if (!isChild(row.value)) this.#runtime.announce({ type: 'session_deleted', sessionId: session }, { tenant: this.#tenant, owner: principalId(row.value.principal) })
    const { close } = this.#runtime.hooks().session
    if (close.tapped) void close.call({ tenant: this.#tenant, session, principal: this.#principal }, 'removed')
    for (const entry of entries.ok ? entries.value : []) if (entry.kind === 'child_opened') await this.remove(entry.child, signal)
    return ok(undefined)
  }

  /** Makes the session of a sub-agent: one that shares nothing with its parent's. The same again changes nothing. */
  async #link({ session: parent, agent }: NonNullable<SendRequest['parent']>, { session, title, meta }: SessionDraft, signal: AbortSignal | undefined): Outcome<void> {
    const create = { principal: this.#principal, title: clean(title), meta: JSON.stringify({ ...clean(meta), [SUBAGENT_META]: clean(agent) }) }
    const made = await this.#within(signal, (limit) => this.#runtime.store().fork(this.#ref(parent), session, 0, create, limit))
    if (!made.ok) return made
    return made.value ? ok(undefined) : err(unknown())
  }

  /** Tells whoever watches the server. @param row where it is known: who began it may be somebody else */
  #tell(type: 'session_created' | 'session_updated', session: SessionId, row?: SessionRow): void {
    this.#runtime.announce(
      { type, sessionId: session, appId: this.#runtime.app, ...(row && { title: row.title }) },
      { tenant: this.#tenant, owner: row ? principalId(row.principal) : this.#principal },
    )
  }

  #ref(session: SessionId): LaneRef { return { tenant: this.#tenant, session } }

  async #draft(request: SendRequest): Outcome<SessionDraft> {
    if (this.#runtime.unavailable) return err(this.#runtime.unavailable)
    if (request.session !== undefined && !isId(request.session)) return err(unknown())
    const draft: SessionDraft = {
      tenant: this.#tenant, session: request.session ?? this.#newSession(request.key), principal: this.#principal,
      title: request.text.trim().replaceAll(/\s+/g, ' ').slice(0, 80), meta: {},
    }
    const { open } = this.#runtime.hooks().session
    if (!open.tapped) return ok(draft)
    const opened = await open.call(draft, { fresh: isFresh(request), headers: request.headers ?? {}, context: request.context ?? {} })
    return opened.ok ? ok({ ...opened.value, tenant: this.#tenant, session: draft.session, principal: this.#principal }) : err(opened.error.toFailure())
  }

  /** The same key finds the same session, so that a first message which is sent again, its answer lost, is one message. */
  #newSession(key: string | undefined): SessionId {
    return key === undefined ? newSessionId() : sessionId(`sess_${sha256(JSON.stringify([this.#tenant, this.#principal, key])).slice(0, 24)}`)
  }

  /** Puts an item into the inbox. From here on it will be answered, whatever dies. */
  async #accept(session: SessionId, key: string, body: InboxBody, create: SessionDraft | undefined, signal: AbortSignal | undefined): Outcome<Taken> {
    const text = JSON.stringify(clean(body))
    const { settings, owner } = this.#runtime
    const said = await this.#within(signal, (limit) => this.#runtime.store().accept({
      ...this.#ref(session), key, body: text, control: false, owner, leaseMs: settings.leaseMs,
      ...(create ? { create: { principal: create.principal, title: clean(create.title), meta: JSON.stringify(clean(create.meta)) } } : {}),
    }, limit))
    if (!said.ok) return said
    const { lane } = said.value
    if (!lane) return err(unknown())
    if (lane.status === 'expired') return err(failure('SESSION_EXPIRED', 'the history of this session has expired', { status: 410 }))
    if (!said.value.fresh && said.value.earlier !== undefined && said.value.earlier !== text) return err(failure('MESSAGE_CONFLICT', 'this key belongs to another message', { status: 409 }))
    return ok({ accepted: said.value, lane, text })
  }

  async #control(session: SessionId, key: string, body: InboxBody, signal: AbortSignal | undefined): Outcome<'accepted' | 'repeated'> {
    const text = JSON.stringify(clean(body))
    const asked = this.#runtime.clock.monotonic()
    const { settings, owner } = this.#runtime
    const item = { ...this.#ref(session), key, body: text, control: true, owner, leaseMs: settings.leaseMs }
    const said = await this.#within(signal, (limit) => this.#runtime.store().accept(item, limit))
    if (!said.ok) return said
    const { lane, claimed, fresh } = said.value
    if (!lane) return err(unknown())
    if (claimed) this.#runtime.queue.claim(lane, asked)
    else this.#runtime.queue.control(this.#ref(session), { key, n: 0, body: text, control: true })
    return ok(fresh ? 'accepted' : 'repeated')
  }

  async #lane(session: SessionId, signal: AbortSignal | undefined): Outcome<LaneRow> {
    if (!isId(session)) return err(unknown())
    const barred = await this.#barred(session, signal)
    if (barred) return err(barred)
    const lane = await this.#within(signal, (limit) => this.#runtime.store().lane(this.#ref(session), limit))
    if (!lane.ok) return lane
    return lane.value ? ok(lane.value) : err(unknown())
  }

  async #row(session: SessionId, signal: AbortSignal | undefined): Outcome<SessionRow> {
    if (!isId(session)) return err(unknown())
    const row = await this.#within(signal, (limit) => this.#runtime.store().row(this.#ref(session), limit))
    if (!row.ok) return row
    return row.value && this.#maySee(row.value) ? ok(row.value) : err(unknown())
  }

  /** Why a session that is there is not for this principal; `undefined` for a new one. */
  async #barred(session: SessionId, signal: AbortSignal | undefined): Promise<Failure | undefined> {
    if (!this.#own) return undefined
    const row = await this.#within(signal, (limit) => this.#runtime.store().row(this.#ref(session), limit))
    if (!row.ok) return row.error
    return row.value && !this.#maySee(row.value) ? unknown() : undefined
  }

  #maySee({ principal }: SessionRow): boolean {
    return !this.#own || principal === this.#principal
  }

  async #within<T>(signal: AbortSignal | undefined, work: (limit: AbortSignal) => Outcome<T>): Outcome<T> {
    const { unavailable, settings } = this.#runtime
    return unavailable ? err(unavailable) : askStore(settings.storeMs, work, signal)
  }
}

const isChild = ({ parent, forkedAt, meta }: SessionRow): boolean =>
  parent !== undefined && forkedAt === 0 && typeof (JSON.parse(meta) as JsonObject)[SUBAGENT_META] === 'string' // written by `send` and `update`

const isFresh = ({ session, create }: SendRequest): boolean => session === undefined || create === true
