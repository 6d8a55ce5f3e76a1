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
const MAX_PAYLOAD_BYTES = 7_500
/** ms for which events are batched into one statement. */
const BATCH_MS = 50
/**
 * How often an instance with subscribers announces itself, and when its announcement expires.
 */
const ANNOUNCE_MS = 30_000
const ANNOUNCEMENT_TTL_MS = 75_000
/** When the relay asks for other subscribers: announcements before it listens are lost. */
const QUERY_DELAYS_MS = [0, 1_000, 5_000]
const NOTIFY_MS = 5_000
/** Maximum of events that are pending. */
const MAX_PENDING = 2_000

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
  readonly #subscribedInstances = new Map<string, number>()
  #pending: string[] = []
  #batchTimer: ReturnType<typeof setTimeout> | undefined
  #announceTimer: ReturnType<typeof setInterval> | undefined
  readonly #queryTimers: readonly ReturnType<typeof setTimeout>[]
  #closed = false

  constructor(database: Pick<Database, 'listen' | 'notify'>, log: Logger, receive: Receive) {
    this.#database = database
    this.#log = log
    this.#receive = receive
    this.#unlisten = database.listen(CHANNEL, (payload) => this.#receivePayload(payload))
    this.#queryTimers = QUERY_DELAYS_MS.map((ms) =>
      setTimeout(() => this.#announce({ who: true }), ms).unref(),
    )
  }

  send(event: PublicEvent, { tenant, principal }: Audience, at: number): void {
    if (this.#closed || !this.#hasRemoteSubscribers()) return
    // `owner` is its name between instances, whatever their releases.
    const owner = principal !== undefined && { owner: principal }
    const text = JSON.stringify({ event, tenant, ...owner, at })
    if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES - 100 || this.#pending.length >= MAX_PENDING) {
      this.#log.warn('events_relay_overrun', { type: event.type, waiting: this.#pending.length })
      return
    }
    this.#pending.push(text)
    this.#batchTimer ??= setTimeout(() => void this.#sendPending(), BATCH_MS).unref()
  }

  /** Announces whether this instance has subscribers. */
  announceSubscribers(hasSubscribers: boolean): void {
    clearInterval(this.#announceTimer)
    this.#announceTimer = undefined
    if (this.#closed) return
    this.#announce({ here: hasSubscribers })
    if (hasSubscribers)
      this.#announceTimer = setInterval(() => this.#announce({ here: true }), ANNOUNCE_MS).unref()
  }

  close(): void {
    this.#closed = true
    this.#unlisten()
    clearTimeout(this.#batchTimer)
    for (const timer of this.#queryTimers) clearTimeout(timer)
    clearInterval(this.#announceTimer)
    this.#announceTimer = undefined
  }

  #hasRemoteSubscribers(): boolean {
    const now = performance.now()
    for (const [instance, until] of this.#subscribedInstances)
      if (until < now) this.#subscribedInstances.delete(instance)
    return this.#subscribedInstances.size > 0
  }

  async #sendPending(): Promise<void> {
    while (this.#pending.length > 0 && !this.#closed) {
      const events: string[] = []
      for (let bytes = 100; this.#pending.length > 0;) {
        const [next = ''] = this.#pending
        bytes += Buffer.byteLength(next) + 1
        if (bytes > MAX_PAYLOAD_BYTES) break
        events.push(next)
        this.#pending.shift()
      }
      await this.#notify(`{"from":"${this.#id}","events":[${events.join(',')}]}`)
    }
    this.#batchTimer = undefined
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

  #receivePayload(payload: string): void {
    const read = trySync(
      () => parseExact(payload) as Json,
      () => undefined,
    ) // JSON text
    if (!read.ok || !isObject(read.value) || read.value['from'] === this.#id) return
    const { from, who, here, events } = read.value
    if (typeof from !== 'string') return
    if (who === true && this.#announceTimer) this.#announce({ here: true })
    if (here === true) this.#subscribedInstances.set(from, performance.now() + ANNOUNCEMENT_TTL_MS)
    if (here === false) this.#subscribedInstances.delete(from)
    for (const item of isList(events) ? events : []) {
      const remote = readRemoteEvent(item)
      if (remote) this.#receive(remote.event, remote.audience, remote.at)
    }
  }
}
