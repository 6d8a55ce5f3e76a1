import { ClientError, Transcript, type ClientEvent, type OutgoingAnswer, type SessionDetails } from '@amodal/sdk/client'
import { kept, type Sent } from './kept.ts'
import { problemOf, type Server } from './server.ts'
import { historyItems, turnItems, type Item } from './timeline.ts'

/** What a conversation shows now. */
export interface Shown {
  readonly session: string | undefined
  readonly items: readonly Item[]
  /** `idle`: nothing runs; `waiting`: for a person. */
  readonly state: 'loading' | 'idle' | 'running' | 'waiting'
  readonly problem: string | undefined
}

interface Turn {
  readonly key: string
  /** Of the message, where it is this page's. */
  readonly text: string | undefined
  readonly transcript: Transcript
  over: boolean
  /** What its events come to; made when somebody looks. */
  items: readonly Item[] | undefined
}

/** ms for which events are gathered before they are shown: faster than anybody reads. */
const GATHER_MS = 30

/**
 * One session as this page knows it: what the server keeps of it, and the turns that are under way. Nothing is lost
 * by a page that is loaded again: a message that was sent here is sent again under its key, and its turn is told anew.
 */
export class Conversation {
  readonly #server: Server
  readonly #leave = new AbortController()
  /** Ends the reading of a session in which nothing was found to run. */
  #looking = new AbortController()
  readonly #listeners = new Set<() => void>()
  readonly #answered = new Set<string>()
  #session: string | undefined
  #history: readonly Item[] = []
  #turns: readonly Turn[] = []
  #follows = 0
  /** The last entry that is known here. */
  #seq = 0
  #loading = false
  #problem: string | undefined
  #shown: Shown
  #gathering: ReturnType<typeof setTimeout> | undefined
  /** Told once the server has named a new session. */
  onNamed: (session: string) => void = () => undefined
  onFailed: (cause: unknown) => void = () => undefined

  constructor(server: Server, session: string | undefined) {
    this.#server = server
    this.#session = session
    this.#shown = this.#show()
  }

  get session(): string | undefined { return this.#session }
  get shown(): Shown { return this.#shown }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads what there is, and follows what runs. */
  async open(): Promise<void> {
    const unfinished = kept.sent().filter(({ session }) => session === this.#session)
    if (this.#session === undefined) return void unfinished.slice(-1).map((sent) => this.#begin(sent)) // its answer never came: nobody knows its session yet
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
      if (details.seq > this.#seq || details.state !== 'idle') {
        this.#turns = []
        this.#take(details, isBefore(details))
      }
      void this.#follow(this.#session, details.state === 'idle') // a run may have begun of which nothing is kept yet
    } catch (cause) {
      this.#failed(cause)
    }
  }

  send(text: string): void {
    const sent: Sent = { key: crypto.randomUUID(), session: this.#session, text, after: this.#seq, at: Date.now() }
    kept.keepSent([...kept.sent(), sent])
    this.#problem = undefined
    if (!this.#isBusy()) this.#looking.abort() // or the turn that begins now would be told twice
    this.#begin(sent)
  }

  async answer(answer: OutgoingAnswer): Promise<void> {
    if (this.#session === undefined) return
    this.#problem = undefined
    this.#answered.add(answer.id)
    this.#redraw()
    try {
      await this.#server.answer(this.#session, answer, { signal: this.#leave.signal })
    } catch (cause) {
      this.#answered.delete(answer.id)
      this.#failed(cause)
      this.#redraw()
    }
  }

  async cancel(): Promise<void> {
    if (this.#session === undefined) return
    try {
      await this.#server.cancel(this.#session)
    } catch (cause) {
      this.#failed(cause)
    }
  }

  /** Stops reading. What runs goes on. */
  close(): void {
    this.#leave.abort()
    clearTimeout(this.#gathering)
    this.#listeners.clear()
  }

  #take(details: SessionDetails, keep: (seq: number) => boolean): void {
    this.#seq = Math.max(this.#seq, details.seq)
    this.#history = historyItems(details.messages.filter(({ seq }) => keep(seq)))
  }

  #begin(sent: Sent): void {
    const turn = this.#turn(sent.key, sent.text)
    const { key, text, session = this.#session } = sent
    void this.#read(turn, this.#server.send({ key, text, ...(session !== undefined && { session }), signal: this.#leave.signal })).then((cause) => {
      // Nobody knows whether a server that cannot be reached has it: a page that is loaded again asks once more.
      const isKnown = !(cause instanceof ClientError) || cause.status !== undefined
      if (!this.#leave.signal.aborted && isKnown) kept.keepSent(kept.sent().filter((one) => one.key !== key))
    })
  }

  /** @param wasIdle nothing of a run was kept yet when the session was read: where one comes, its message is read again */
  async #follow(session: string, wasIdle: boolean): Promise<void> {
    this.#looking.abort()
    const looking = this.#looking = new AbortController()
    const turn = this.#turn(`follow-${this.#seq}-${++this.#follows}`, undefined)
    turn.over = wasIdle // unless something comes
    this.#changed()
    await this.#read(turn, this.#server.follow(session, { signal: AbortSignal.any([this.#leave.signal, looking.signal]) }), looking.signal)
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

  #isBusy(): boolean {
    return this.#turns.some(({ over }) => !over)
  }

  #turn(key: string, text: string | undefined): Turn {
    const turn: Turn = { key, text, transcript: new Transcript(), over: false, items: undefined }
    this.#turns = [...this.#turns, turn]
    this.#changed()
    return turn
  }

  /** @param stop ends it without that being wrong @returns what went wrong */
  async #read(turn: Turn, events: AsyncIterable<ClientEvent>, stop?: AbortSignal): Promise<unknown> {
    let failed: unknown
    try {
      for await (const event of events) {
        turn.over = event.type === 'done'
        this.#seq = Math.max(this.#seq, event.frame.seq)
        turn.transcript.push(event)
        turn.items = undefined
        if (event.type === 'init' && this.#session === undefined) this.#named(event.session_id, turn.key)
        this.#gather()
      }
    } catch (cause) {
      failed = cause
      if (stop?.aborted !== true) this.#failed(cause)
    }
    turn.over = true
    turn.items = undefined
    this.#changed()
    return failed
  }

  #named(session: string, key: string): void {
    this.#session = session
    kept.keepSent(kept.sent().map((sent) => (sent.key === key ? { ...sent, session } : sent)))
    this.onNamed(session)
  }

  #failed(cause: unknown): void {
    if (this.#leave.signal.aborted) return
    this.#problem = problemOf(cause)
    this.onFailed(cause)
    this.#changed()
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
    const items = [...this.#history, ...this.#turns.flatMap((turn) => (turn.items ??= this.#itemsOf(turn)))]
    const runs = this.#isBusy()
    const waits = runs && items.some((item) => item.kind === 'ask' && item.open)
    return {
      session: this.#session, items, problem: this.#problem,
      state: waits ? 'waiting' : runs ? 'running' : this.#loading ? 'loading' : 'idle',
    }
  }

  #itemsOf({ key, text, transcript }: Turn): readonly Item[] {
    const told = turnItems(key, transcript.events).map((item) => (item.kind === 'ask' && this.#answered.has(item.ask.id) ? { ...item, open: false } : item))
    return text === undefined ? told : [{ kind: 'user', key: `${key}-user`, text }, ...told]
  }
}

/** A run in progress is told by its stream, from its message on. */
function isBefore({ state, messages }: SessionDetails): (seq: number) => boolean {
  if (state === 'idle') return () => true
  const message = messages.findLast(({ role }) => role === 'user')?.seq ?? 0
  return (seq) => seq <= message
}
