import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  err,
  failure,
  ok,
  SHARED_TENANT,
  type Audience,
  type EventSink,
  type Failure,
  type Logger,
  type Result,
  type StreamSource,
  type TenantId,
} from '@amodal/sdk'
import type { PublicEvent } from './event.ts'
import { Subscriber } from './subscriber.ts'
import { Topic } from './topic.ts'
import type { View } from './view.ts'

/**
 * Bytes that may be pending for one subscriber, in addition to one chunk of events and the buffers
 * of the connection.
 */
const MAX_PENDING_BYTES = 524_288
/** Subscribers that are served before the process yields to other work. */
const SUBSCRIBERS_PER_SLICE = 100
/**
 * A pause after a delivery is so many times as long as the delivery: it uses a tenth of the time at
 * most, and events in between are batched.
 */
const PAUSE_FACTOR = 9
const LONGEST_PAUSE_MS = 500
/** Tenants whose events are buffered; those with subscribers always are. */
const MAX_TENANTS = 200

export interface BusOptions {
  /** Events of one tenant that are buffered. */
  readonly buffer: number
  readonly heartbeatMs: number
  /** ms after which a stream ends. */
  readonly streamMs: number
  /** Streams at once. */
  readonly subscribers: number
}

/** The events of one tenant and their subscribers. */
interface TenantEvents {
  readonly topic: Topic
  readonly subscribers: Set<Subscriber>
}

/**
 * Publishes events to every subscriber that may see them: each event is serialised once, and each
 * write contains all pending ones.
 */
export class Bus {
  readonly #options: BusOptions
  readonly #log: Logger
  /** Ordered by their last use, the most recent at the end. */
  readonly #tenants = new Map<TenantId, TenantEvents>()
  readonly #undelivered = new Set<TenantEvents>()
  /** Events since the last delivery. */
  #undeliveredCount = 0
  #subscriberCount = 0
  #onSubscribers: (hasSubscribers: boolean) => void = () => undefined
  #delivering = false
  /** Monotonic ms. */
  #nextDeliveryAt = 0
  #deliveryTimer: ReturnType<typeof setTimeout> | undefined
  #beat: ReturnType<typeof setInterval> | undefined
  #closed = false

  constructor(options: BusOptions, log: Logger) {
    this.#options = options
    this.#log = log
  }

  /** Called when the first subscriber connects and when the last one disconnects. */
  onSubscribers(onChange: (hasSubscribers: boolean) => void): void {
    this.#onSubscribers = onChange
    if (this.#subscriberCount > 0) onChange(true)
  }

  /** @param at ms since the epoch */
  publish(event: PublicEvent, { tenant, principal }: Audience, at: number): void {
    if (this.#closed) return
    for (const tenantEvents of tenant === SHARED_TENANT
      ? this.#tenants.values()
      : [this.#eventsOf(tenant)]) {
      tenantEvents.topic.add(event, principal, at)
      if (tenantEvents.subscribers.size > 0) this.#undelivered.add(tenantEvents)
    }
    if (this.#undelivered.size > 0) this.#undeliveredCount++
    this.#schedule()
  }

  /**
   * The place before the newest `count` events of a tenant, as far as they are buffered; 0: the
   * place after the newest one.
   */
  placeBefore(tenant: TenantId, count: number): number {
    return this.#eventsOf(tenant).topic.before(count)
  }

  /**
   * A stream of the events that a subscriber of a tenant may see.
   *
   * @param from place of the last event that the client has; default: events from now on
   * @returns `RATE_LIMITED` if the limit of streams is reached and no other tenant has more of them
   */
  subscribe(tenant: TenantId, view: View, from: number | undefined): Result<StreamSource, Failure> {
    if (this.#closed) return err(failure('KERNEL_CLOSED', 'the server is stopping'))
    if (this.#subscriberCount >= this.#options.subscribers && !this.#endStreamOfLargest(tenant)) {
      return err(
        failure(
          'RATE_LIMITED',
          `${this.#subscriberCount} streams of events are open: as many as this server has`,
          { details: { retry_after_seconds: 30 } },
        ),
      )
    }
    return ok({
      maxPendingBytes: MAX_PENDING_BYTES,
      send: (sink) => this.#serve(tenant, view, from, sink),
    })
  }

  /**
   * One tenant cannot use up all streams: the tenant with the most loses its oldest to one that has
   * fewer.
   */
  #endStreamOfLargest(tenant: TenantId): boolean {
    const largest = [...this.#tenants.values()].reduce<ReadonlySet<Subscriber>>(
      (most, { subscribers }) => (subscribers.size > most.size ? subscribers : most),
      new Set(),
    )
    const [oldest] = largest
    if (!oldest || largest.size <= (this.#tenants.get(tenant)?.subscribers.size ?? 0) + 1)
      return false
    oldest.end()
    return true
  }

  /** Ends every stream. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#deliveryTimer)
    clearInterval(this.#beat)
    for (const subscriber of this.#subscribers()) subscriber.end()
    this.#tenants.clear()
  }

  /** Resolves when the subscriber disconnects or the stream reaches its maximum duration. */
  #serve(tenant: TenantId, view: View, from: number | undefined, sink: EventSink): Promise<void> {
    if (this.#closed || sink.closed) {
      sink.end()
      return Promise.resolve()
    }
    const tenantEvents = this.#eventsOf(tenant)
    return new Promise((resolve) => {
      const subscriber = new Subscriber(
        {
          topic: tenantEvents.topic,
          view,
          from,
          until: performance.now() + this.#options.streamMs,
          onOverrun: (place) =>
            this.#log.warn('events_replay_overrun', {
              tenant,
              after: place,
              at: tenantEvents.topic.head,
            }),
          onLeave: (behind) => {
            tenantEvents.subscribers.delete(subscriber)
            this.#unsubscribed()
            if (behind !== undefined)
              this.#log.warn('events_subscriber_dropped', {
                tenant,
                behind,
                message: 'it did not read; on reconnecting it learns that it has missed events',
              })
            resolve()
          },
        },
        sink,
      )
      tenantEvents.subscribers.add(subscriber)
      this.#subscribed()
      subscriber.advance()
    })
  }

  #subscribed(): void {
    this.#subscriberCount++
    if (this.#subscriberCount > 1) return
    this.#beat = setInterval(() => this.#heartbeat(), this.#options.heartbeatMs)
    this.#beat.unref()
    this.#onSubscribers(true)
  }

  #unsubscribed(): void {
    this.#subscriberCount--
    if (this.#subscriberCount > 0) return
    clearInterval(this.#beat)
    if (!this.#closed) this.#onSubscribers(false)
  }

  #heartbeat(): void {
    const now = performance.now()
    for (const subscriber of this.#subscribers()) {
      if (now < subscriber.until) subscriber.beat()
      else subscriber.end()
    }
  }

  #subscribers(): readonly Subscriber[] {
    return [...this.#tenants.values()].flatMap(({ subscribers }) => [...subscribers])
  }

  #eventsOf(tenant: TenantId): TenantEvents {
    const tenantEvents = this.#tenants.get(tenant) ?? {
      topic: new Topic(this.#options.buffer, Date.now()),
      subscribers: new Set(),
    }
    this.#tenants.delete(tenant)
    this.#tenants.set(tenant, tenantEvents)
    if (this.#tenants.size > MAX_TENANTS) this.#forget(tenantEvents)
    return tenantEvents
  }

  /** Discards the least recently used one without a subscriber. */
  #forget(except: TenantEvents): void {
    for (const [tenant, tenantEvents] of this.#tenants) {
      if (tenantEvents === except || tenantEvents.subscribers.size > 0) continue
      this.#tenants.delete(tenant)
      return
    }
  }

  #schedule(): void {
    if (this.#delivering || this.#undelivered.size === 0) return
    // Subscribers that read in time miss nothing: events are delivered before the buffer discards
    // them.
    const isBufferAtRisk =
      this.#undeliveredCount > this.#options.buffer / 2 && this.#nextDeliveryAt > 0
    if (isBufferAtRisk) this.#nextDeliveryAt = 0
    else if (this.#deliveryTimer !== undefined) return
    clearTimeout(this.#deliveryTimer)
    this.#deliveryTimer = setTimeout(
      () => {
        this.#deliveryTimer = undefined
        void this.#deliver()
      },
      Math.max(0, this.#nextDeliveryAt - performance.now()),
    )
    this.#deliveryTimer.unref()
  }

  async #deliver(): Promise<void> {
    this.#delivering = true
    const began = performance.now()
    const changed = [...this.#undelivered]
    this.#undelivered.clear()
    this.#undeliveredCount = 0
    let served = 0
    for (const { subscribers } of changed) {
      for (const subscriber of subscribers) {
        subscriber.advance()
        if (++served % SUBSCRIBERS_PER_SLICE === 0) await nextTurn()
      }
    }
    await nextTurn() // the sinks write at the end of a tick
    const now = performance.now()
    this.#nextDeliveryAt = now + Math.min(LONGEST_PAUSE_MS, PAUSE_FACTOR * (now - began))
    this.#delivering = false
    if (!this.#closed) this.#schedule()
  }
}
