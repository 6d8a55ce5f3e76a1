import {
  ClientError,
  Transcript,
  type ClientEvent,
  type Grant,
  type AnswerInput,
  type PastApproval,
  type SessionDetails,
  type SessionSummary,
} from '@amodal/sdk/client'
import { tabStorage, type Sent } from './tab-storage.ts'
import { isUnauthorized, isUnreached, problemOf, type Server } from './server.ts'
import {
  approvalsIn,
  historyItems,
  SET_ASIDE,
  turnItems,
  type Item,
  type SessionFile,
  type Settled,
} from './timeline.ts'

/** What a conversation shows now. */
export interface Shown {
  readonly session: string | undefined
  readonly items: readonly Item[]
  /**
   * `idle`: nothing runs; `waiting`: for a person; `away`: something runs or is to be sent, and the
   * server does not answer.
   */
  readonly state: 'loading' | 'idle' | 'running' | 'waiting' | 'away'
  readonly problem: string | undefined
  /** Why it is set aside until a person decides. */
  readonly setAside: SessionSummary['set_aside']
  /** Approvals for the rest of the conversation. */
  readonly grants: readonly Grant[]
  /** The question whose answer needs a key that this page does not have. */
  readonly locked: string | undefined
}

export type Settlement = Parameters<Server['settle']>[2]

interface Turn {
  readonly key: string
  /** Of the message, where it is this page's. */
  readonly text: string | undefined
  readonly assets: readonly SessionFile[]
  transcript: Transcript
  /** The server has its message. */
  accepted: boolean
  over: boolean
  /** The transcript of its events; computed when it is read. */
  items: readonly Item[] | undefined
}

interface Reading {
  /** Stops reading without reporting an error. */
  readonly stop?: AbortSignal
  /** Called once the server has the message. */
  readonly accepted?: () => void
  /** Whether the turn is read once more after what went wrong. */
  readonly again?: (cause: unknown) => boolean
}

/** ms for which events are batched before they are shown. */
const GATHER_MS = 30
/** ms between two attempts to send a message while the server is reachable but refuses it. */
const AGAIN_MS = 1_000

/** The name of the person until the server has reported it. */
export const ME = 'me'

/**
 * One session as this page knows it: its stored history and the turns in progress. Neither a reload
 * of the page nor an unreachable server loses a message: it is sent again under its key until the
 * server has accepted it, which it does once, and its turn is replayed.
 */
export class Conversation {
  readonly #server: Server
  readonly #isAdmin: boolean
  readonly #leave = new AbortController()
  /** Ends the reading of a session in which nothing was found to run. */
  #looking = new AbortController()
  readonly #listeners = new Set<() => void>()
  /** What was decided here, by the id of what was asked. */
  readonly #answered = new Map<string, Settled>()
  #approvals: ReadonlyMap<string, PastApproval> = new Map()
  #session: string | undefined
  #history: readonly Item[] = []
  #turns: readonly Turn[] = []
  #follows = 0
  /** The last entry that is known here. */
  #seq = 0
  #loading = false
  #problem: string | undefined
  #setAside: SessionSummary['set_aside']
  #grants: readonly Grant[] = []
  /** An answer that needs a key. */
  #locked: AnswerInput | undefined
  #shown: Shown
  #gathering: ReturnType<typeof setTimeout> | undefined
  /**
   * Settles once the message that was sent last is accepted or refused: the next one comes after
   * it.
   */
  #before: Promise<void> = Promise.resolve()
  /** A retry is waiting for the server, to read the session again. */
  #isWaitingForServer = false
  /** Called once the server has assigned the id of a new session. */
  onNamed: (session: string) => void = () => undefined
  onFailed: (cause: unknown) => void = () => undefined

  /** @param isAdmin the server sends its messages to the admin agent */
  constructor(server: Server, session: string | undefined, isAdmin = false) {
    this.#server = server
    this.#isAdmin = isAdmin
    this.#session = session
    this.#shown = this.#show()
  }

  get session(): string | undefined {
    return this.#session
  }
  get shown(): Shown {
    return this.#shown
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads what there is, and follows what runs. */
  async open(): Promise<void> {
    const leave = this.#server.reach.subscribe(() => this.#redraw())
    this.#leave.signal.addEventListener('abort', leave)
    const unfinished = tabStorage
      .sent()
      .filter(
        ({ session, toAdmin = false }) => session === this.#session && toAdmin === this.#isAdmin,
      )
    if (this.#session === undefined) {
      // The response was lost, so its session id is unknown. Of several new chats it is the newest.
      const first = unfinished.at(-1)?.behind ?? unfinished.at(-1)?.key
      for (const sent of unfinished)
        if (sent.key === first || sent.behind === first) this.#begin(sent)
      return
    }
    this.#loading = true
    this.#changed()
    try {
      const details = await this.#server.session(this.#session, { signal: this.#leave.signal })
      const [first] = unfinished
      if (first) this.#take(details, (seq) => seq <= first.after)
      else this.#take(details, isBefore(details))
      for (const sent of unfinished) this.#begin(sent)
      if (!first) void this.#follow(this.#session, details.state === 'idle')
    } catch (cause) {
      this.#failed(cause)
    } finally {
      this.#loading = false
      this.#changed()
    }
  }

  /** Something happened to this session; perhaps here, perhaps elsewhere. */
  async refresh(): Promise<void> {
    if (this.#session === undefined || this.#loading || this.#isBusy()) return
    try {
      const details = await this.#server.session(this.#session, { signal: this.#leave.signal })
      if (this.#isBusy()) return
      this.#problem = undefined
      if (details.seq > this.#seq || details.state !== 'idle') {
        this.#turns = []
        this.#take(details, isBefore(details))
      } else this.#setAside = details.set_aside
      // a run may have begun of which nothing is kept yet
      void this.#follow(this.#session, details.state === 'idle')
    } catch (cause) {
      this.#failed(cause)
    }
  }

  /** @param assets files that go with it */
  send(text: string, assets: readonly SessionFile[] = []): void {
    const first =
      this.#session === undefined
        ? this.#turns.find((turn) => turn.text !== undefined && !turn.over)?.key
        : undefined
    const sent: Sent = {
      key: crypto.randomUUID(),
      session: this.#session,
      text,
      ...(assets.length > 0 && { assets }),
      after: this.#seq,
      at: Date.now(),
      ...(this.#isAdmin && { toAdmin: true }),
      ...(first !== undefined && { behind: first }),
    }
    tabStorage.storeSent([...tabStorage.sent(), sent])
    this.#problem = undefined
    if (!this.#isBusy()) this.#looking.abort() // or the turn that begins now would be shown twice
    this.#begin(sent)
  }

  /** An answer that cannot be delivered is delivered once the server is back: it is taken once. */
  async answer(answer: AnswerInput): Promise<void> {
    if (this.#session === undefined) return
    this.#problem = undefined
    this.#answered.set(answer.id, decisionOf(answer))
    this.#redraw()
    for (let wasSent = false; ; wasSent = true) {
      try {
        await this.#server.answer(this.#session, answer, { signal: this.#leave.signal })
        return
      } catch (cause) {
        if (isUnreached(cause) && (await this.#isBack())) continue
        // it had arrived, and only its receipt was lost
        if (wasSent && cause instanceof ClientError && cause.code === 'ASK_NOT_FOUND') return
        this.#answered.delete(answer.id)
        if (isUnauthorized(cause)) this.#locked = answer
        else this.#failed(cause)
        return this.#redraw()
      }
    }
  }

  /** Gives the answer that needed a key, with that key. */
  async unlock(key: string): Promise<void> {
    const answer = this.#locked
    this.#locked = undefined
    this.#server.signIn({ key, scope: '' })
    if (answer) await this.answer(answer)
    else this.#changed()
  }

  async cancel(): Promise<void> {
    if (this.#session === undefined) return
    try {
      await this.#server.cancel(this.#session)
    } catch (cause) {
      this.#failed(cause)
    }
  }

  /** Continues a session that was set aside, or ends its run. */
  async release(decision: 'continue' | 'end'): Promise<void> {
    if (this.#session === undefined) return
    this.#problem = undefined
    try {
      await (decision === 'continue'
        ? this.#server.retry(this.#session)
        : this.#server.cancel(this.#session))
      this.#setAside = undefined
    } catch (cause) {
      this.#failed(cause) // perhaps somebody else was faster
    }
    await this.refresh()
  }

  /**
   * Settles an effect of unknown outcome.
   * @returns what there is to say of it, where it is not settled
   */
  async settle(call: string, settlement: Settlement): Promise<string | undefined> {
    if (this.#session === undefined) return undefined
    try {
      const { settled } = await this.#server.settle(this.#session, call, settlement)
      if (!settled)
        return settlement === 'retry'
          ? 'It was made again, and its outcome is still unknown.'
          : 'It is settled once the run before it has ended.'
      return undefined
    } catch (cause) {
      this.onFailed(cause)
      return problemOf(cause)
    } finally {
      await this.#learn(this.#session)
    }
  }

  /** Ends an approval for the rest of the conversation. */
  async revoke(grant: string): Promise<void> {
    if (this.#session === undefined) return
    this.#problem = undefined
    try {
      await this.#server.revoke(this.#session, grant)
    } catch (cause) {
      this.#failed(cause)
    }
    await this.#learn(this.#session)
  }

  /** Stops reading. What runs goes on. */
  close(): void {
    this.#leave.abort()
    clearTimeout(this.#gathering)
    this.#listeners.clear()
  }

  #take(details: SessionDetails, keep: (seq: number) => boolean): void {
    this.#seq = Math.max(this.#seq, details.seq)
    this.#approvals = approvalsIn(details.messages)
    this.#setAside = details.set_aside
    this.#grants = details.grants ?? []
    this.#history = historyItems(
      details.messages.filter(({ seq }) => keep(seq)),
      details,
    )
  }

  #begin(sent: Sent): void {
    const turn = this.#turn(sent.key, sent.text, sent.assets)
    const before = this.#before
    const accepted = Promise.withResolvers<void>()
    this.#before = accepted.promise
    void before.then(async () => {
      const cause = await this.#deliver(turn, sent, accepted.resolve)
      accepted.resolve()
      // Nobody knows whether a server that cannot be reached has it: a page that is loaded again
      // asks once more.
      if (!this.#leave.signal.aborted && !isUnreached(cause))
        tabStorage.storeSent(tabStorage.sent().filter((one) => one.key !== sent.key))
    })
  }

  /** Sends a message until the server has answered it. @returns what went wrong */
  async #deliver(
    turn: Turn,
    { key, text, assets = [], session }: Sent,
    accepted: () => void,
  ): Promise<unknown> {
    for (;;) {
      const to = session ?? this.#session
      const events = this.#server.send({
        key,
        text,
        ...(assets.length > 0 && { assets: assets.map(({ id }) => id) }),
        ...(to !== undefined && { session: to }),
        signal: this.#leave.signal,
      })
      const cause = await this.#read(turn, events, { accepted, again: isUnreached })
      if (!isUnreached(cause) || !(await this.#isBack())) return cause
    }
  }

  /** Resolves once the server answers: `false` where nobody waits for it any more. */
  async #isBack(): Promise<boolean> {
    await new Promise((resolve) => {
      setTimeout(resolve, AGAIN_MS)
    })
    return this.#server.reach.back(this.#leave.signal).then(
      () => true,
      () => false,
    )
  }

  /**
   * @param wasIdle nothing of a run was kept yet when the session was read: where one comes, its
   *   message is read again
   */
  async #follow(session: string, wasIdle: boolean): Promise<void> {
    this.#looking.abort()
    const looking = (this.#looking = new AbortController())
    const turn = this.#turn(`follow-${this.#seq}-${++this.#follows}`, undefined)
    turn.over = wasIdle // unless something comes
    this.#changed()
    await this.#read(
      turn,
      this.#server.follow(session, {
        signal: AbortSignal.any([this.#leave.signal, looking.signal]),
      }),
      { stop: looking.signal },
    )
    if (turn.transcript.events.length === 0) {
      this.#turns = this.#turns.filter((one) => one !== turn)
      this.#changed()
    } else if (wasIdle) await this.#reread(session)
  }

  /** After a turn of somebody else, whose message only the server knows. */
  async #reread(session: string): Promise<void> {
    try {
      const details = await this.#server.session(session, { signal: this.#leave.signal })
      if (this.#isBusy()) return
      this.#turns = []
      this.#take(details, isBefore(details))
      this.#changed()
    } catch (cause) {
      this.#failed(cause)
    }
  }

  /** Reads what the stream does not contain: who decided, and what waits for a decision. */
  async #learn(session: string): Promise<void> {
    const details = await this.#server
      .session(session, { signal: this.#leave.signal })
      .catch(() => undefined) // the cards do without
    if (!details) return
    const isDoubtful = details.messages.some(({ toolCalls = [] }) =>
      toolCalls.some(({ status }) => status === 'unknown'),
    )
    if (isDoubtful && details.state === 'idle' && !this.#isBusy()) {
      this.#turns = []
      this.#take(details, isBefore(details))
    }
    this.#setAside = details.set_aside
    this.#grants = details.grants ?? []
    this.#approvals = approvalsIn(details.messages)
    this.#redraw()
  }

  #isBusy(): boolean {
    return this.#turns.some(({ over }) => !over)
  }

  #turn(key: string, text: string | undefined, assets: readonly SessionFile[] = []): Turn {
    const turn: Turn = {
      key,
      text,
      assets,
      transcript: new Transcript(),
      accepted: text === undefined,
      over: false,
      items: undefined,
    }
    this.#turns = [...this.#turns, turn]
    this.#changed()
    return turn
  }

  /** @returns what went wrong */
  async #read(
    turn: Turn,
    events: AsyncIterable<ClientEvent>,
    { stop, accepted, again }: Reading,
  ): Promise<unknown> {
    let failed: unknown
    try {
      for await (const event of events) {
        // A message that was sent once more is answered from its beginning.
        if (event.type === 'init' && turn.accepted) turn.transcript = new Transcript()
        if (event.type === 'init') turn.accepted = true
        turn.over = event.type === 'done'
        this.#seq = Math.max(this.#seq, event.frame.seq)
        turn.transcript.push(event)
        turn.items = undefined
        if (event.type === 'init' && this.#session === undefined)
          this.#named(event.session_id, turn.key)
        if (event.type === 'init') accepted?.()
        if (this.#session !== undefined && this.#decides(event)) void this.#learn(this.#session)
        this.#gather()
      }
    } catch (cause) {
      failed = cause
      if (again?.(cause) === true) {
        this.#redraw()
        return cause
      }
      if (stop?.aborted !== true) this.#failed(cause)
    }
    turn.over = true
    turn.items = undefined
    this.#changed()
    if (this.#session !== undefined && turn.transcript.events.some(isDoubtful))
      void this.#learn(this.#session)
    return failed
  }

  /** Whether an event is the outcome of an approval whose author is not known here. */
  #decides(event: ClientEvent): boolean {
    if (event.type === 'approved') return !this.#approvals.has(event.preview_id)
    return (
      event.type === 'tool_call_result' &&
      event.status === 'error' &&
      this.#turns.some(({ transcript }) =>
        transcript.events.some(
          (one) =>
            one.type === 'confirmation_required' &&
            one.tool_id === event.tool_id &&
            !this.#approvals.has(one.id),
        ),
      )
    )
  }

  #named(session: string, key: string): void {
    this.#session = session
    tabStorage.storeSent(
      tabStorage
        .sent()
        .map((sent) => (sent.key === key || sent.behind === key ? { ...sent, session } : sent)),
    )
    this.onNamed(session)
  }

  #failed(cause: unknown): void {
    if (this.#leave.signal.aborted) return
    this.onFailed(cause)
    // The page says that the server is away; when it is back, the session is read again.
    if (isUnreached(cause)) void this.#readWhenBack()
    else this.#problem = problemOf(cause)
    this.#changed()
  }

  async #readWhenBack(): Promise<void> {
    if (this.#isWaitingForServer) return
    this.#isWaitingForServer = true
    const isBack = await this.#isBack()
    this.#isWaitingForServer = false
    if (isBack) await this.refresh()
  }

  #gather(): void {
    this.#gathering ??= setTimeout(() => this.#changed(), GATHER_MS)
  }

  #redraw(): void {
    for (const turn of this.#turns) turn.items = undefined
    this.#changed()
  }

  #changed(): void {
    clearTimeout(this.#gathering)
    this.#gathering = undefined
    if (this.#leave.signal.aborted) return
    this.#shown = this.#show()
    for (const listener of this.#listeners) listener()
  }

  #show(): Shown {
    const items = [
      ...this.#history,
      ...this.#turns.flatMap((turn) => (turn.items ??= this.#itemsOf(turn))),
    ]
    const runs = this.#isBusy()
    const waits = runs && items.some((item) => item.kind === 'ask' && item.open)
    return {
      session: this.#session,
      items,
      problem: this.#problem,
      setAside: this.#setAside,
      grants: this.#grants,
      locked: this.#locked?.id,
      state: this.#state(runs, waits),
    }
  }

  #state(runs: boolean, waits: boolean): Shown['state'] {
    if (waits) return 'waiting'
    if (runs) return this.#server.reach.isLost ? 'away' : 'running'
    return this.#loading ? 'loading' : 'idle'
  }

  #itemsOf({ key, text, assets, transcript, accepted }: Turn): readonly Item[] {
    const turnEntries = turnItems(key, transcript.events).map((item) =>
      item.kind === 'ask' ? this.#withDecision(item) : item,
    )
    if (text === undefined) return turnEntries
    return [
      {
        kind: 'user',
        key: `${key}-user`,
        text,
        ...(assets.length > 0 && { assets }),
        ...(!accepted && this.#server.reach.isLost && { unsent: true }),
      },
      ...turnEntries,
    ]
  }

  /**
   * A decision as stored by the server wins over one made on this page, and that over the stream.
   */
  #withDecision(item: Extract<Item, { readonly kind: 'ask' }>): Item {
    const { settled } = item
    const past = this.#approvals.get(item.ask.id)
    const here = this.#answered.get(item.ask.id)
    return past || here
      ? { ...item, open: false, settled: { decision: 'answered', ...here, ...settled, ...past } }
      : item
  }
}

/** Whether a decision may be needed after it that the stream does not report. */
const isDoubtful = (event: ClientEvent): boolean =>
  (event.type === 'tool_call_result' && event.status === 'error') ||
  (event.type === 'error' && event.code === SET_ASIDE)

function decisionOf({ approved, feedback, action, scope }: AnswerInput): Settled {
  const approval = approved === true ? 'approved' : 'declined'
  return {
    decision: approved === undefined ? 'answered' : approval,
    by: ME,
    at: new Date().toISOString(),
    ...(feedback !== undefined && { feedback }),
    ...(scope === 'conversation' && { scope }),
    ...(action !== undefined && { answer: action }),
  }
}

/** A run in progress is shown from its stream, from its message on. */
function isBefore({ state, messages }: SessionDetails): (seq: number) => boolean {
  if (state === 'idle') return () => true
  const message = messages.findLast(({ role }) => role === 'user')?.seq ?? 0
  return (seq) => seq <= message
}
