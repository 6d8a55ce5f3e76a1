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
import type { Told } from './event.ts'
import { Subscriber } from './subscriber.ts'
import { Topic } from './topic.ts'
import type { View } from './view.ts'

/**
 * Bytes that may wait for one subscriber; a piece of events and the connection's own come on top.
 */
const ROOM = 524_288
/** Subscribers that are served before others of the process have their turn. */
const SLICE = 100
/** Telling takes a tenth of the time at most: what happens meanwhile goes out together. */
const SHARE = 9
const LONGEST_WAIT_MS = 500
/** Tenants without a subscriber whose events are kept. */
const QUIET = 200

export interface BusOptions {
  /** Events of one tenant that are kept. */
  readonly buffer: number
  readonly heartbeatMs: number
  /** ms after which a stream ends. */
  readonly streamMs: number
  /** Streams at once. */
  readonly subscribers: number
}

/** Events of one tenant, and who reads them. */
interface Room {
  readonly topic: Topic
  readonly readers: Set<Subscriber>
}

/**
 * Takes what happens, and tells everybody who may know: each event becomes text once, and each
 * write holds all that there is.
 */
export class Bus {
  readonly #options: BusOptions
  readonly #log: Logger
  /** Those used last at the end. */
  readonly #rooms = new Map<TenantId, Room>()
  readonly #fresh = new Set<Room>()
  /** Events since it was told of any. */
  #untold = 0
  #count = 0
  #audience: (anybody: boolean) => void = () => undefined
  #telling = false
  /** Monotonic ms. */
  #next = 0
  #wake: ReturnType<typeof setTimeout> | undefined
  #beat: ReturnType<typeof setInterval> | undefined
  #closed = false

  constructor(options: BusOptions, log: Logger) {
    this.#options = options
    this.#log = log
  }

  /** Called where the first subscriber comes, and where the last one goes. */
  onAudience(heard: (anybody: boolean) => void): void {
    this.#audience = heard
    if (this.#count > 0) heard(true)
  }

  /** @param at ms since the epoch */
  publish(event: Told, { tenant, owner }: Audience, at: number): void {
    if (this.#closed) return
    for (const room of tenant === SHARED_TENANT ? this.#rooms.values() : [this.#room(tenant)]) {
      room.topic.add(event, owner, at)
      if (room.readers.size > 0) this.#fresh.add(room)
    }
    if (this.#fresh.size > 0) this.#untold++
    this.#schedule()
  }

  /**
   * A stream of what a tenant's subscriber may know.
   *
   * @param from place of the last event that it has; left out: what happens from now on
   * @returns `RATE_LIMITED` where there are as many streams as there may be, and no other tenant
   *   has more of them
   */
  subscribe(tenant: TenantId, view: View, from: number | undefined): Result<StreamSource, Failure> {
    if (this.#closed) return err(failure('KERNEL_CLOSED', 'the server is stopping'))
    if (this.#count >= this.#options.subscribers && !this.#makeRoom(tenant)) {
      return err(
        failure(
          'RATE_LIMITED',
          `${this.#count} streams of events are open: as many as this server has`,
          { details: { retry_after_seconds: 30 } },
        ),
      )
    }
    return ok({ room: ROOM, send: (sink) => this.#serve(tenant, view, from, sink) })
  }

  /**
   * Nobody keeps all the others out: the tenant with the most streams gives its oldest to one that
   * has fewer.
   */
  #makeRoom(tenant: TenantId): boolean {
    const most = [...this.#rooms.values()].reduce<ReadonlySet<Subscriber>>(
      (largest, { readers }) => (readers.size > largest.size ? readers : largest),
      new Set(),
    )
    const [oldest] = most
    if (!oldest || most.size <= (this.#rooms.get(tenant)?.readers.size ?? 0) + 1) return false
    oldest.end()
    return true
  }

  /** Ends every stream. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#wake)
    clearInterval(this.#beat)
    for (const reader of this.#readers()) reader.end()
    this.#rooms.clear()
  }

  /** Until the reader leaves, or the stream has gone on for long enough. */
  #serve(tenant: TenantId, view: View, from: number | undefined, sink: EventSink): Promise<void> {
    if (this.#closed || sink.closed) {
      sink.end()
      return Promise.resolve()
    }
    const room = this.#room(tenant)
    return new Promise((resolve) => {
      const reader = new Subscriber(
        {
          topic: room.topic,
          view,
          from,
          until: performance.now() + this.#options.streamMs,
          overrun: (place) =>
            this.#log.warn('events_replay_overrun', { tenant, after: place, at: room.topic.head }),
          left: (behind) => {
            room.readers.delete(reader)
            this.#left()
            if (behind !== undefined)
              this.#log.warn('events_subscriber_dropped', {
                tenant,
                behind,
                message: 'it did not read; where it comes back it is told what it missed',
              })
            resolve()
          },
        },
        sink,
      )
      room.readers.add(reader)
      this.#came()
      reader.advance()
    })
  }

  #came(): void {
    this.#count++
    if (this.#count > 1) return
    this.#beat = setInterval(() => this.#heartbeat(), this.#options.heartbeatMs)
    this.#beat.unref()
    this.#audience(true)
  }

  #left(): void {
    this.#count--
    if (this.#count > 0) return
    clearInterval(this.#beat)
    if (!this.#closed) this.#audience(false)
  }

  #heartbeat(): void {
    const now = performance.now()
    for (const reader of this.#readers()) {
      if (now < reader.until) reader.beat()
      else reader.end()
    }
  }

  #readers(): readonly Subscriber[] {
    return [...this.#rooms.values()].flatMap(({ readers }) => [...readers])
  }

  #room(tenant: TenantId): Room {
    const room = this.#rooms.get(tenant) ?? {
      topic: new Topic(this.#options.buffer, Date.now()),
      readers: new Set(),
    }
    this.#rooms.delete(tenant)
    this.#rooms.set(tenant, room)
    if (this.#rooms.size > QUIET) this.#forget(room)
    return room
  }

  /** The one that nobody reads and that was quiet for the longest time. */
  #forget(except: Room): void {
    for (const [tenant, room] of this.#rooms) {
      if (room === except || room.readers.size > 0) continue
      this.#rooms.delete(tenant)
      return
    }
  }

  #schedule(): void {
    if (this.#telling || this.#fresh.size === 0) return
    // Those who read in time miss nothing: before so many are here that old ones have to go, they
    // are told.
    const hurries = this.#untold > this.#options.buffer / 2 && this.#next > 0
    if (hurries) this.#next = 0
    else if (this.#wake !== undefined) return
    clearTimeout(this.#wake)
    this.#wake = setTimeout(
      () => {
        this.#wake = undefined
        void this.#tell()
      },
      Math.max(0, this.#next - performance.now()),
    )
    this.#wake.unref()
  }

  async #tell(): Promise<void> {
    this.#telling = true
    const began = performance.now()
    const rooms = [...this.#fresh]
    this.#fresh.clear()
    this.#untold = 0
    let served = 0
    for (const { readers } of rooms) {
      for (const reader of readers) {
        reader.advance()
        if (++served % SLICE === 0) await nextTurn()
      }
    }
    await nextTurn() // by now it has been written
    const now = performance.now()
    this.#next = now + Math.min(LONGEST_WAIT_MS, SHARE * (now - began))
    this.#telling = false
    if (!this.#closed) this.#schedule()
  }
}
