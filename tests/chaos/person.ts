import { setTimeout as sleep } from 'node:timers/promises'
import {
  ClientError,
  createClient,
  EventParser,
  Transcript,
  type Client,
  type ClientEvent,
} from '@amodal/sdk/client'
import { isClosedAsk } from '@amodal/sdk/wire'
import { LOCAL_TOKEN } from './control.ts'
import type { Recorder } from './history.ts'
import { messageOf, type Plan } from './plan.ts'

/** A host that is never asked: requests go to whichever server is up. */
export const SOMEWHERE = 'http://chaos'
/** ms for a turn with all the crashes it meets. */
const PATIENCE_MS = 240_000

export interface SendOptions {
  /** Left out: a new session. */
  readonly session?: string
  /** Questions are answered once this resolves; at once where it is left out. */
  readonly mayAnswer?: Promise<void>
  /**
   * Questions are answered once the session waits for them: an answer that comes while its turn is
   * about to wait saves a commit, and the turn has other statements.
   */
  readonly answersAtRest?: boolean
}

/** A question that somebody is to answer. */
export interface OpenAsk {
  readonly session: string
  readonly id: string
  readonly type: 'approval' | 'question' | 'continue_or_finish'
}

export interface PersonOptions {
  /** Takes the place of the network; it finds a server by itself. */
  readonly fetch?: typeof fetch
  /** ms for a turn with all that it meets. */
  readonly patienceMs?: number
  /** Answers questions in this person's place. */
  readonly answer?: (ask: OpenAsk) => Promise<void>
  /**
   * Takes down what is sent and heard. A message that comes to no end is written there, and is no
   * error.
   */
  readonly recorder?: Recorder
}

/**
 * Somebody who talks to an agent and does not let a crash bother them: with the product's own
 * client.
 */
export class Person {
  readonly #reach: () => Promise<string>
  readonly #client: Client
  readonly #options: PersonOptions

  /** @param reach the address of a server that is up */
  constructor(reach: () => Promise<string>, options: PersonOptions = {}) {
    this.#reach = reach
    this.#options = options
    this.#client = createClient({
      url: SOMEWHERE,
      credential: LOCAL_TOKEN,
      fetch:
        options.fetch ??
        (async (input, init) => fetch(addressOf(input).replace(SOMEWHERE, await reach()), init)),
    })
  }

  /** Sends a plan and follows its turn to the end. */
  send(plan: Plan, options: SendOptions = {}): Turn {
    return new Turn(this.#client, plan, options, this.#options)
  }

  /** Cancels what runs in a session, until somebody has heard it. */
  async cancel(session: string): Promise<void> {
    await persist(() => this.#client.cancel(session))
  }

  /**
   * The events after a frame, up to the end of that turn: what a client gets that comes back with
   * its last id.
   */
  async resumed(
    session: string,
    { seq, fencingToken: fence, attempt, n }: ClientEvent['frame'],
    key?: string,
  ): Promise<readonly ClientEvent[]> {
    return this.#stream(session, {
      'last-event-id': `${seq}.${fence}.${attempt}.${n}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    })
  }

  /** The events of the run in progress, up to its end. */
  async followed(session: string): Promise<readonly ClientEvent[]> {
    return this.#stream(session, {})
  }

  async #stream(
    session: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<readonly ClientEvent[]> {
    const response = await fetch(`${await this.#reach()}/chat/stream/${session}`, { headers })
    const events: ClientEvent[] = []
    for (const { id, data } of new EventParser().push(await response.text())) {
      const [seq = 0, fence = 0, attempt = 0, n = 0] = (id ?? '').split('.').map(Number)
      // the wire's contract
      const event = {
        ...JSON.parse(data),
        frame: { seq, fencingToken: fence, attempt, n },
      } as ClientEvent
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
  transcript = new Transcript()
  /** Resolves with `done`; rejects where the client gives up. */
  readonly over: Promise<void>
  session: string | undefined
  /** Who reads it now: a message that is sent again is read from its beginning. */
  reader: string
  readonly #options: PersonOptions
  readonly #client: Client
  readonly #mayAnswer: Promise<void>
  readonly #answersAtRest: boolean
  readonly #watchers = new Set<() => void>()
  readonly #answers = new Map<string, Promise<void>>()
  /** The last answer was heard of. */
  #taken = Promise.resolve()
  #ended = false
  #begun = 0

  constructor(
    client: Client,
    plan: Plan,
    { session, answersAtRest = false, mayAnswer = Promise.resolve() }: SendOptions,
    options: PersonOptions,
  ) {
    this.#client = client
    this.plan = plan
    this.session = session
    this.reader = plan.marker
    this.#mayAnswer = mayAnswer
    this.#answersAtRest = answersAtRest
    this.#options = options
    options.recorder?.add({
      kind: 'sent',
      key: this.key,
      plan,
      ...(session === undefined ? {} : { session }),
    })
    this.over = this.#follow(session).catch((cause: unknown) => {
      if (!options.recorder)
        throw new Error(`${plan.marker} did not come to its end after ${this.#last()}`, { cause })
      options.recorder.add({
        kind: 'gave_up',
        key: this.key,
        why: `${String(cause)} after ${this.#last()}`,
      })
    })
    this.over.catch(() => undefined) // whoever waits for it hears of it
  }

  /** What its reader has heard, from the beginning of its reading on. */
  get heard(): readonly ClientEvent[] {
    return this.events.slice(this.#begun)
  }

  /** The client was told that its message is kept. */
  get acknowledged(): boolean {
    return this.events.some(({ type }) => type === 'init')
  }

  /** Resolves when the events so far satisfy `wanted`. */
  async until(wanted: (events: readonly ClientEvent[]) => boolean): Promise<void> {
    const met = Promise.withResolvers<void>()
    const look = (): void => {
      if (wanted(this.events)) met.resolve()
    }
    this.#watchers.add(look)
    look()
    await Promise.race([met.promise, this.over.then(look).then(() => met.promise)])
    this.#watchers.delete(look)
  }

  #last(): string {
    return (
      this.events
        .slice(-4)
        .map(
          ({ type, frame: { seq, fencingToken: fence, attempt, n } }) =>
            `${type} (${seq}.${fence}.${attempt}.${n})`,
        )
        .join(', ') || 'nothing'
    )
  }

  onEvent(heard: () => void): void {
    this.#watchers.add(heard)
  }

  async #follow(session: string | undefined): Promise<void> {
    const limit = AbortSignal.timeout(this.#options.patienceMs ?? PATIENCE_MS)
    for (let again = 1; ; again++) {
      try {
        await this.#read(session, limit)
        break
      } catch (cause) {
        // The product's client has its own patience, which ends before that of somebody who takes
        // everything down, or whose machine is slow.
        if (limit.aborted || !(cause instanceof ClientError) || !isPassing(cause)) throw cause
        this.reader = `${this.plan.marker}#${again + 1}`
        this.transcript = new Transcript()
        this.#begun = this.events.length
      }
    }
    this.#ended = true
    for (const look of this.#watchers) look()
    await Promise.all(this.#answers.values())
  }

  async #read(session: string | undefined, signal: AbortSignal): Promise<void> {
    const { recorder } = this.#options
    recorder?.add({
      kind: 'reading',
      reader: this.reader,
      key: this.key,
      session: this.session ?? '',
    })
    for await (const event of this.#client.send({
      text: messageOf(this.plan),
      session,
      key: this.key,
      signal,
    })) {
      recorder?.add({ kind: 'event', reader: this.reader, key: this.key, event })
      this.events.push(event)
      this.transcript.push(event)
      if (event.type === 'init') this.session = event.session_id
      if (event.type === 'ask_user') this.#answer(event.ask_id, 'question', { response: 'yes' })
      if (event.type === 'confirmation_required')
        this.#answer(
          event.id,
          event.pending_input_type,
          event.pending_input_type === 'approval' ? { approved: true } : { action: 'continue' },
        )
      for (const look of this.#watchers) look()
    }
  }

  /**
   * A question is told again by every replay. One after the other is answered, so that a turn takes
   * the same way each time.
   */
  #answer(
    id: string,
    type: OpenAsk['type'],
    answer: { readonly response?: string; readonly approved?: boolean; readonly action?: string },
  ): void {
    if (this.#answers.has(id)) return
    if (this.#options.answer) {
      this.#answers.set(id, this.#options.answer({ session: this.session ?? '', id, type }))
      return
    }
    const settled = Promise.all([this.#mayAnswer, this.#taken]).then(() =>
      this.#ended ? undefined : this.#settle({ id, ...answer }),
    )
    this.#answers.set(id, settled)
    const isTold = (): boolean =>
      this.transcript.events.some((event) => event.type === 'approved' && event.preview_id === id)
    // Nothing is told of an answer that is no approval.
    this.#taken = settled.then(() =>
      'approved' in answer ? this.until(() => this.#ended || isTold()) : undefined,
    )
    this.#taken.catch(() => undefined) // whoever waits for the answers hears of it
  }

  /** Until the session waits for somebody, or the turn is over without it. */
  async #atRest(): Promise<void> {
    while (!this.#ended) {
      const details = await this.#client.session(this.session ?? '').catch(() => undefined)
      if (details?.standing === 'waiting') return
      await sleep(LOOK_MS)
    }
  }

  async #settle(answer: { readonly id: string }): Promise<void> {
    if (this.#answersAtRest) await this.#atRest()
    let tries = 0
    await persist(() => {
      tries++
      return this.#client.answer(this.session ?? '', answer)
    }).catch((cause: unknown) => {
      // An answer whose receipt was lost is an answer all the same.
      if (!(cause instanceof ClientError && isClosedAsk(cause.code) && tries > 1)) throw cause
    })
  }
}

/** ms between two looks at a session that is about to wait. */
const LOOK_MS = 20

/** Asks until somebody answers. */
async function persist(ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await ask()
      return
    } catch (cause) {
      if (!(cause instanceof ClientError) || tries > 20 || !isPassing(cause)) throw cause
      await sleep(100)
    }
  }
}

const isPassing = ({ code, status }: ClientError): boolean =>
  code === 'UNREACHABLE' || status === 503

export const addressOf = (input: string | URL | Request): string =>
  input instanceof Request ? input.url : input.toString()
