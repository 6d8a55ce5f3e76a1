import { randomKey } from '../random-key.ts'
import { UNOBSERVED, type ServerReach } from '../reachability.ts'
import { ClientError, type AnswerInput, type ClientEvent } from '../types.ts'
import type { SessionClient } from '../session-client.ts'
import { errorOf, isBack, isClosed, isUnreached } from './failure.ts'
import { ConversationModel } from './model.ts'
import {
  UNSETTLED,
  type ConversationOptions,
  type SendOptions,
  type Settlement,
} from './options.ts'
import {
  memoryOutbox,
  nameSession,
  removeSent,
  unfinishedOf,
  type Outbox,
  type SentMessage,
} from './outbox.ts'
import type { ConversationSnapshot } from './snapshot.ts'
import { Turn, type TurnReading } from './turn.ts'

/**
 * One session as this client knows it: its stored history and the turns in progress. Neither a
 * reload of the page nor an unreachable server loses a message: it is sent under its key until the
 * server has accepted it, which it does once, and its turn is replayed.
 *
 * @example
 * const conversation = new Conversation(client, { session })
 * conversation.subscribe(() => show(conversation.snapshot.items))
 * await conversation.open()
 * conversation.send('What can you do?')
 */
export class Conversation {
  readonly #client: SessionClient
  readonly #reach: ServerReach
  readonly #outbox: Outbox
  readonly #model: ConversationModel
  #closing = new AbortController()
  /** Ends the reading of a session in which nothing was found to run. */
  #idleFollow = new AbortController()
  #follows = 0
  /** Settles once the last message is accepted or refused: the next one comes after it. */
  #previous: Promise<void> = Promise.resolve()
  #isWaitingForServer = false
  /** The run is ended as soon as the server has accepted its message. */
  #isStopRequested = false
  /** Called once the server has assigned the id of a new session. */
  onNamed: (session: string) => void = () => undefined
  /** Called with what went wrong, also where the snapshot does not have it. */
  onFailed: (cause: unknown) => void = () => undefined

  constructor(client: SessionClient, options: ConversationOptions = {}) {
    const { session, initial, reach = UNOBSERVED, outbox = memoryOutbox() } = options
    this.#client = client
    this.#reach = reach
    this.#outbox = outbox
    this.#model = new ConversationModel(reach, session, initial)
  }

  get session(): string | undefined {
    return this.#model.session
  }
  /** The same object until something changes. */
  get snapshot(): ConversationSnapshot {
    return this.#model.snapshot
  }

  /** @returns what ends the subscription */
  subscribe(listener: () => void): () => void {
    return this.#model.subscribe(listener)
  }

  /** Calls a listener with each event as it comes, once more where it is replayed. */
  observe(listener: (event: ClientEvent) => void): () => void {
    return this.#model.observe(listener)
  }

  /** Reads the session, and follows what runs. After `close` it can be opened anew. */
  async open(): Promise<void> {
    if (this.#closing.signal.aborted) this.#closing = new AbortController()
    const { signal } = this.#closing
    const model = this.#model
    const leave = this.#reach.subscribe(() => model.redraw())
    signal.addEventListener('abort', leave)
    model.isClosed = false
    model.turns = []
    const unfinished = unfinishedOf(this.#outbox, model.session)
    if (model.session === undefined) {
      for (const sent of unfinished) this.#begin(sent)
      return
    }
    model.isLoading = true
    model.changed()
    try {
      const details = await this.#client.session(model.session, { signal })
      const [first] = unfinished
      if (first) model.take(details, (seq) => seq <= first.after)
      else model.take(details)
      for (const sent of unfinished) this.#begin(sent)
      if (!first) void this.#follow(model.session, details.state === 'idle')
    } catch (cause) {
      this.#failed(cause, signal)
    } finally {
      if (!signal.aborted) {
        model.isLoading = false
        model.changed()
      }
    }
  }

  /** Something happened to this session; perhaps here, perhaps elsewhere. */
  async refresh(): Promise<void> {
    const { signal } = this.#closing
    const model = this.#model
    if (model.session === undefined || model.isLoading || model.isBusy) return
    try {
      const details = await this.#client.session(model.session, { signal })
      if (model.isBusy || signal.aborted) return
      model.error = undefined
      if (details.seq > model.seq || details.state !== 'idle') {
        model.turns = []
        model.take(details)
      } else model.setAside = details.set_aside
      // a run may have begun of which nothing is stored yet
      void this.#follow(model.session, details.state === 'idle')
    } catch (cause) {
      this.#failed(cause, signal)
    }
  }

  /** Sends a message; it is shown at once, and its turn as it happens. */
  send(text: string, { assets = [], context }: SendOptions = {}): void {
    const { session, seq, isBusy, turns } = this.#model
    const first =
      session === undefined ? turns.find((turn) => turn.message && !turn.isOver)?.key : undefined
    const sent: SentMessage = {
      key: randomKey(),
      session,
      text,
      ...(assets.length > 0 && { assets }),
      ...(context && { context }),
      after: seq,
      at: Date.now(),
      ...(first !== undefined && { behind: first }),
    }
    this.#outbox.store([...this.#outbox.list(), sent])
    this.#model.error = undefined
    if (!isBusy) this.#idleFollow.abort() // or the turn that begins would be shown twice
    this.#begin(sent)
  }

  /** An answer that cannot be delivered is delivered once the server is back: it counts once. */
  async answer(answer: AnswerInput): Promise<void> {
    const { signal } = this.#closing
    const model = this.#model
    if (model.session === undefined) return
    model.error = undefined
    model.decisions.add(answer)
    model.redraw()
    for (let wasSent = false; ; wasSent = true) {
      try {
        await this.#client.answer(model.session, answer, { signal })
        return
      } catch (cause) {
        if (isUnreached(cause) && (await isBack(this.#reach, signal))) continue
        // it had arrived, and only its receipt was lost
        if (wasSent && isClosed(cause)) return
        model.decisions.withdraw(answer.id)
        if (cause instanceof ClientError && cause.status === 401) model.locked = answer
        else this.#failed(cause, signal)
        return model.redraw()
      }
    }
  }

  /** Gives the answer that needed a credential, now that requests have it. */
  async unlock(): Promise<void> {
    const answer = this.#model.locked
    this.#model.locked = undefined
    if (answer) await this.answer(answer)
    else this.#model.changed()
  }

  /** Ends the run in progress; one whose message is not accepted yet, once it is. */
  async cancel(): Promise<void> {
    const current = this.#model.turns.filter(({ isOver }) => !isOver)
    this.#isStopRequested = current.length > 0 && current.every(({ isAccepted }) => !isAccepted)
    if (this.#isStopRequested) return
    await this.#attempt((session) => this.#client.cancel(session))
  }

  /** Continues a session that was set aside, or ends its run. */
  async release(decision: 'continue' | 'end'): Promise<void> {
    await this.#attempt(async (session) => {
      await (decision === 'continue' ? this.#client.retry(session) : this.#client.cancel(session))
      this.#model.setAside = undefined
    })
    await this.refresh()
  }

  /**
   * Settles an effect of unknown outcome.
   * @returns why it is not settled; `undefined` where it is
   */
  async settle(call: string, settlement: Settlement): Promise<string | undefined> {
    const { session } = this.#model
    if (session === undefined) return undefined
    try {
      const { settled } = await this.#client.settle(session, call, settlement)
      return settled ? undefined : UNSETTLED[settlement]
    } catch (cause) {
      this.onFailed(cause)
      return errorOf(cause).message
    } finally {
      await this.#readDecisions(session)
    }
  }

  /** Ends an approval for the rest of the conversation. */
  async revoke(grant: string): Promise<void> {
    await this.#attempt((session) => this.#client.revoke(session, grant))
    if (this.session !== undefined) await this.#readDecisions(this.session)
  }

  /** Stops reading. What runs goes on. */
  close(): void {
    this.#model.isClosed = true
    this.#closing.abort()
    this.#idleFollow.abort()
  }

  async #attempt(work: (session: string) => Promise<unknown>): Promise<void> {
    const { session } = this.#model
    if (session === undefined) return
    const { signal } = this.#closing
    this.#model.error = undefined
    try {
      await work(session)
    } catch (cause) {
      this.#failed(cause, signal)
    }
  }

  #begin(sent: SentMessage): void {
    const { signal } = this.#closing
    const { key, text, assets = [] } = sent
    const turn = this.#model.add(new Turn(key, { text, assets }))
    const before = this.#previous
    const accepted = Promise.withResolvers<void>()
    this.#previous = accepted.promise
    void before.then(async () => {
      const cause = await this.#deliver(turn, sent, accepted.resolve, signal)
      accepted.resolve()
      if (!this.#model.isBusy) this.#isStopRequested = false // the message was refused
      // Nobody knows whether a server that cannot be reached has it: a page that is loaded anew
      // sends it once more.
      if (!signal.aborted && !isUnreached(cause)) removeSent(this.#outbox, key)
    })
  }

  /** Sends a message until the server has answered it. @returns what went wrong */
  async #deliver(
    turn: Turn,
    sent: SentMessage,
    onAccepted: () => void,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { key, text, assets = [], context } = sent
    for (;;) {
      const session = sent.session ?? this.#model.session
      const events = this.#client.send({
        key,
        text,
        signal,
        ...(assets.length > 0 && { assets: assets.map(({ id }) => id) }),
        ...(context && { context }),
        ...(session !== undefined && { session }),
      })
      const cause = await this.#read(turn, events, { onAccepted, isRetried: isUnreached })
      if (!isUnreached(cause) || !(await isBack(this.#reach, signal))) return cause
    }
  }

  /**
   * @param wasIdle nothing of a run was stored yet when the session was read: where one comes, its
   *   message is read as well
   */
  async #follow(session: string, wasIdle: boolean): Promise<void> {
    this.#idleFollow.abort()
    const stop = (this.#idleFollow = new AbortController())
    const signal = AbortSignal.any([this.#closing.signal, stop.signal])
    const turn = new Turn(`follow-${this.#model.seq}-${++this.#follows}`)
    turn.isOver = wasIdle // unless something comes
    this.#model.add(turn)
    await this.#read(turn, this.#client.follow(session, { signal }), { stop: stop.signal })
    if (turn.isEmpty) {
      this.#model.turns = this.#model.turns.filter((one) => one !== turn)
      this.#model.changed()
    } else if (wasIdle) await this.#reread(session)
  }

  /** After a turn of somebody else, whose message only the server knows. */
  async #reread(session: string): Promise<void> {
    const { signal } = this.#closing
    try {
      const details = await this.#client.session(session, { signal })
      if (this.#model.isBusy || signal.aborted) return
      this.#model.turns = []
      this.#model.take(details)
      this.#model.changed()
    } catch (cause) {
      this.#failed(cause, signal)
    }
  }

  /** Reads what the stream does not contain: who decided, and what waits for a decision. */
  async #readDecisions(session: string): Promise<void> {
    const { signal } = this.#closing
    const model = this.#model
    const details = await this.#client.session(session, { signal }).catch(() => undefined)
    if (!details || signal.aborted) return
    const isDoubtful = details.messages.some(({ toolCalls = [] }) =>
      toolCalls.some(({ status }) => status === 'unknown'),
    )
    if (isDoubtful && details.state === 'idle' && !model.isBusy) {
      model.turns = []
      model.take(details)
    } else model.takeDecisions(details)
    model.redraw()
  }

  /** @returns what went wrong */
  async #read(
    turn: Turn,
    events: AsyncIterable<ClientEvent>,
    { stop, onAccepted, isRetried }: TurnReading,
  ): Promise<unknown> {
    const { signal } = this.#closing
    const model = this.#model
    let failure: unknown
    try {
      for await (const event of events) {
        turn.push(event)
        this.#onEvent(event, turn)
        if (event.type === 'init') {
          onAccepted?.()
          if (this.#isStopRequested) void this.cancel()
        }
      }
    } catch (cause) {
      failure = cause
      if (isRetried?.(cause) === true) {
        model.redraw()
        return cause
      }
      if (stop?.aborted !== true) this.#failed(cause, signal)
    }
    turn.end()
    model.changed()
    if (model.session !== undefined && turn.isDoubtful) void this.#readDecisions(model.session)
    return failure
  }

  #onEvent(event: ClientEvent, { key }: Turn): void {
    const model = this.#model
    model.seq = Math.max(model.seq, event.frame.seq)
    if (event.type === 'init' && model.session === undefined) this.#name(event.session_id, key)
    if (model.session !== undefined && model.isDecision(event))
      void this.#readDecisions(model.session)
    model.announce(event)
    model.changeSoon()
  }

  #name(session: string, key: string): void {
    this.#model.session = session
    nameSession(this.#outbox, key, session)
    this.onNamed(session)
  }

  #failed(cause: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    this.onFailed(cause)
    // The page shows that the server is away; when it is back, the session is read once more.
    if (isUnreached(cause)) void this.#readWhenBack(signal)
    else this.#model.error = errorOf(cause)
    this.#model.changed()
  }

  async #readWhenBack(signal: AbortSignal): Promise<void> {
    if (this.#isWaitingForServer) return
    this.#isWaitingForServer = true
    const answers = await isBack(this.#reach, signal)
    this.#isWaitingForServer = false
    if (answers) await this.refresh()
  }
}
