import { setTimeout as sleep } from 'node:timers/promises'
import { ClientError, createClient, EventParser, Transcript, type Client, type ClientEvent } from '@amodal/sdk/client'
import { messageOf, type Plan } from './plan.ts'

/** A host that is never asked: requests go to whichever server is up. */
const SOMEWHERE = 'http://chaos'
/** ms for a turn with all the crashes it meets. */
const PATIENCE_MS = 60_000

export interface SendOptions {
  /** Left out: a new session. */
  readonly session?: string
  /** Questions are answered once this resolves; at once where it is left out. */
  readonly mayAnswer?: Promise<void>
}

/** Somebody who talks to an agent and does not let a crash bother them: with the product's own client. */
export class Person {
  readonly #reach: () => Promise<string>
  readonly #client: Client

  /** @param reach the address of a server that is up */
  constructor(reach: () => Promise<string>) {
    this.#reach = reach
    this.#client = createClient({
      url: SOMEWHERE,
      fetch: async (input, init) => fetch(addressOf(input).replace(SOMEWHERE, await reach()), init),
    })
  }

  /** Sends a plan and follows its turn to the end. */
  send(plan: Plan, options: SendOptions = {}): Turn {
    return new Turn(this.#client, plan, options)
  }

  /** Cancels what runs in a session, until somebody has heard it. */
  async cancel(session: string): Promise<void> {
    await persist(() => this.#client.cancel(session))
  }

  /** The events after a frame, up to the end of that turn: what a client gets that comes back with its last id. */
  async resumed(session: string, { seq, fence, attempt, n }: ClientEvent['frame'], key?: string): Promise<readonly ClientEvent[]> {
    return this.#stream(session, { 'last-event-id': `${seq}.${fence}.${attempt}.${n}`, ...(key === undefined ? {} : { 'idempotency-key': key }) })
  }

  /** The events of the run in progress, up to its end. */
  async followed(session: string): Promise<readonly ClientEvent[]> {
    return this.#stream(session, {})
  }

  async #stream(session: string, headers: Readonly<Record<string, string>>): Promise<readonly ClientEvent[]> {
    const response = await fetch(`${await this.#reach()}/chat/stream/${session}`, { headers })
    const events: ClientEvent[] = []
    for (const { id, data } of new EventParser().push(await response.text())) {
      const [seq = 0, fence = 0, attempt = 0, n = 0] = (id ?? '').split('.').map(Number)
      const event = { ...JSON.parse(data), frame: { seq, fence, attempt, n } } as ClientEvent // the wire's contract
      events.push(event)
      if (event.type === 'done') break
    }
    return events
  }
}

/** One message and what comes of it. */
export class Turn {
  readonly plan: Plan
  readonly key: string = crypto.randomUUID()
  /** Every event as it came, also those that a `reset` took back. */
  readonly events: ClientEvent[] = []
  readonly transcript = new Transcript()
  /** Resolves with `done`; rejects where the client gives up. */
  readonly over: Promise<void>
  session: string | undefined
  readonly #client: Client
  readonly #mayAnswer: Promise<void>
  readonly #watchers = new Set<() => void>()
  readonly #answers = new Map<string, Promise<void>>()
  /** The last answer was heard of. */
  #taken = Promise.resolve()
  #ended = false

  constructor(client: Client, plan: Plan, { session, mayAnswer = Promise.resolve() }: SendOptions) {
    this.#client = client
    this.plan = plan
    this.session = session
    this.#mayAnswer = mayAnswer
    this.over = this.#follow(session).catch((cause: unknown) => { throw new Error(`${plan.marker} did not come to its end after ${this.#last()}`, { cause }) })
    this.over.catch(() => undefined) // whoever waits for it hears of it
  }

  /** The client was told that its message is kept. */
  get acknowledged(): boolean { return this.events.some(({ type }) => type === 'init') }

  /** Resolves when the events so far satisfy `wanted`. */
  async until(wanted: (events: readonly ClientEvent[]) => boolean): Promise<void> {
    const met = Promise.withResolvers<void>()
    const look = (): void => { if (wanted(this.events)) met.resolve() }
    this.#watchers.add(look)
    look()
    await Promise.race([met.promise, this.over.then(look).then(() => met.promise)])
    this.#watchers.delete(look)
  }

  #last(): string {
    return this.events.slice(-4).map(({ type, frame: { seq, fence, attempt, n } }) => `${type} (${seq}.${fence}.${attempt}.${n})`).join(', ') || 'nothing'
  }

  onEvent(heard: () => void): void {
    this.#watchers.add(heard)
  }

  async #follow(session: string | undefined): Promise<void> {
    const limit = AbortSignal.timeout(PATIENCE_MS)
    for await (const event of this.#client.send({ text: messageOf(this.plan), session, key: this.key, signal: limit })) {
      this.events.push(event)
      this.transcript.push(event)
      if (event.type === 'init') this.session = event.session_id
      if (event.type === 'ask_user') this.#answer(event.ask_id, { response: 'yes' })
      if (event.type === 'confirmation_required') this.#answer(event.id, event.pending_input_type === 'approval' ? { approved: true } : { action: 'continue' })
      for (const look of this.#watchers) look()
    }
    this.#ended = true
    for (const look of this.#watchers) look()
    await Promise.all(this.#answers.values())
  }

  /** A question is told again by every replay. One after the other is answered, so that a turn takes the same way each time. */
  #answer(id: string, answer: { readonly response?: string; readonly approved?: boolean; readonly action?: string }): void {
    if (this.#answers.has(id)) return
    const settled = Promise.all([this.#mayAnswer, this.#taken]).then(() => (this.#ended ? undefined : this.#settle({ id, ...answer })))
    this.#answers.set(id, settled)
    const isTold = (): boolean => this.transcript.events.some((event) => event.type === 'approved' && event.preview_id === id)
    // Nothing is told of an answer that is no approval.
    this.#taken = settled.then(() => ('approved' in answer ? this.until(() => this.#ended || isTold()) : undefined))
    this.#taken.catch(() => undefined) // whoever waits for the answers hears of it
  }

  async #settle(answer: { readonly id: string }): Promise<void> {
    let tries = 0
    await persist(() => {
      tries++
      return this.#client.answer(this.session ?? '', answer)
    }).catch((cause: unknown) => {
      // An answer whose receipt was lost is an answer all the same.
      if (!(cause instanceof ClientError && cause.code === 'ASK_NOT_FOUND' && tries > 1)) throw cause
    })
  }
}

/** Asks until somebody answers. */
async function persist(ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await ask()
      return
    } catch (cause) {
      if (!(cause instanceof ClientError) || tries > 20 || (cause.code !== 'UNREACHABLE' && cause.status !== 503)) throw cause
      await sleep(100)
    }
  }
}

const addressOf = (input: string | URL | Request): string => (input instanceof Request ? input.url : input.toString())
