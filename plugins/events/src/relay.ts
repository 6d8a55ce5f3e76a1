import { randomUUID } from 'node:crypto'
import {
  isList,
  isObject,
  trySync,
  type Audience,
  type Database,
  type Json,
  type Logger,
  timeLimit,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { readRemoteEvent, type PublicEvent } from './event.ts'

const CHANNEL = 'events'
/** Postgres refuses a longer payload (8,000 bytes). */
const MOST_BYTES = 7_500
/** ms for which events are batched into one statement. */
const GATHER_MS = 50
/**
 * How often an instance with subscribers announces itself, and when its announcement expires.
 */
const HERE_MS = 30_000
const GONE_MS = 75_000
/** When the relay asks for other subscribers: announcements before it listens are lost. */
const WHO_MS = [0, 1_000, 5_000]
const NOTIFY_MS = 5_000
/** Maximum of events that are pending. */
const MOST_WAITING = 2_000

type Receive = (event: PublicEvent, audience: Audience, at: number) => void

/**
 * Passes events between the instances on one database, only while another instance has subscribers:
 * instances without subscribers cost nothing.
 */
export class Relay {
  readonly #id = randomUUID()
  readonly #database: Pick<Database, 'listen' | 'notify'>
  readonly #log: Logger
  readonly #receive: Receive
  readonly #unlisten: () => void
  /** Instances with subscribers, and when their announcement expires (monotonic ms). */
  readonly #elsewhere = new Map<string, number>()
  #waiting: string[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #here: ReturnType<typeof setInterval> | undefined
  readonly #asking: readonly ReturnType<typeof setTimeout>[]
  #closed = false

  constructor(database: Pick<Database, 'listen' | 'notify'>, log: Logger, receive: Receive) {
    this.#database = database
    this.#log = log
    this.#receive = receive
    this.#unlisten = database.listen(CHANNEL, (payload) => this.#hear(payload))
    this.#asking = WHO_MS.map((ms) => setTimeout(() => this.#announce({ who: true }), ms).unref())
  }

  send(event: PublicEvent, { tenant, principal }: Audience, at: number): void {
    if (this.#closed || !this.#anybody()) return
    // `owner` is its name between instances, whatever their releases.
    const owner = principal !== undefined && { owner: principal }
    const text = JSON.stringify({ event, tenant, ...owner, at })
    if (Buffer.byteLength(text) > MOST_BYTES - 100 || this.#waiting.length >= MOST_WAITING) {
      this.#log.warn('events_relay_overrun', { type: event.type, waiting: this.#waiting.length })
      return
    }
    this.#waiting.push(text)
    this.#timer ??= setTimeout(() => void this.#pass(), GATHER_MS).unref()
  }

  /** Announces whether this instance has subscribers. */
  listens(anybody: boolean): void {
    clearInterval(this.#here)
    this.#here = undefined
    if (this.#closed) return
    this.#announce({ here: anybody })
    if (anybody) this.#here = setInterval(() => this.#announce({ here: true }), HERE_MS).unref()
  }

  close(): void {
    this.#closed = true
    this.#unlisten()
    clearTimeout(this.#timer)
    for (const timer of this.#asking) clearTimeout(timer)
    clearInterval(this.#here)
    this.#here = undefined
  }

  #anybody(): boolean {
    const now = performance.now()
    for (const [instance, until] of this.#elsewhere)
      if (until < now) this.#elsewhere.delete(instance)
    return this.#elsewhere.size > 0
  }

  async #pass(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#closed) {
      const events: string[] = []
      for (let bytes = 100; this.#waiting.length > 0;) {
        const [next = ''] = this.#waiting
        bytes += Buffer.byteLength(next) + 1
        if (bytes > MOST_BYTES) break
        events.push(next)
        this.#waiting.shift()
      }
      await this.#notify(`{"from":"${this.#id}","events":[${events.join(',')}]}`)
    }
    this.#timer = undefined
  }

  #announce(message: { readonly who: true } | { readonly here: boolean }): void {
    void this.#notify(JSON.stringify({ from: this.#id, ...message }))
  }

  async #notify(payload: string): Promise<void> {
    const sent = await this.#database.notify(
      CHANNEL,
      payload,
      timeLimit(NOTIFY_MS, 'notifying the other instances'),
    )
    if (!sent.ok && !this.#closed)
      this.#log.debug('events_relay_failed', { message: sent.error.message })
  }

  #hear(payload: string): void {
    const read = trySync(
      () => parseExact(payload) as Json,
      () => undefined,
    ) // JSON text
    if (!read.ok || !isObject(read.value) || read.value['from'] === this.#id) return
    const { from, who, here, events } = read.value
    if (typeof from !== 'string') return
    if (who === true && this.#here) this.#announce({ here: true })
    if (here === true) this.#elsewhere.set(from, performance.now() + GONE_MS)
    if (here === false) this.#elsewhere.delete(from)
    for (const item of isList(events) ? events : []) {
      const remote = readRemoteEvent(item)
      if (remote) this.#receive(remote.event, remote.audience, remote.at)
    }
  }
}
