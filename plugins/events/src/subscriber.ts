import type { EventSink } from '@amodal/sdk'
import type { Topic } from './topic.ts'
import type { View } from './view.ts'

/** Sent to a client that has missed events: its state may be stale and has to be fetched again. */
const missed = (afterSeq: number, seq: number): string =>
  `event: events_replay_overrun\ndata: ${JSON.stringify({ type: 'events_replay_overrun', afterSeq, seq, timestamp: new Date().toISOString() })}\n\n`

export interface SubscriberOptions {
  readonly topic: Topic
  readonly view: View
  /** The place of the last event it has, where it says so. */
  readonly from: number | undefined
  /** ms at which its stream ends. */
  readonly until: number
  /** It has missed events: those behind `place` are not kept any more. */
  readonly overrun: (place: number) => void
  /** It is gone. `behind`: events it was not given, where it did not read and was cut for that. */
  readonly left: (behind: number | undefined) => void
}

/**
 * One reader: a place among the events of its tenant. It holds none of them, so one that does not
 * read holds what its connection does.
 */
export class Subscriber {
  readonly until: number
  readonly #options: SubscriberOptions
  readonly #sink: EventSink
  #place: number
  #stalled = false
  #ended = false

  constructor(options: SubscriberOptions, sink: EventSink) {
    this.#options = options
    this.#sink = sink
    this.until = options.until
    this.#place = options.from ?? options.topic.head
    sink.onClosed(() => this.#leave(this.#stalled ? options.topic.head - this.#place : undefined))
    sink.write(':\n\n') // the answer begins now, not with the first event
  }

  /** Gives it what there is, as far as it reads. */
  advance(): void {
    const { topic, view, overrun } = this.#options
    if (!this.#stalled && !topic.has(this.#place)) {
      overrun(this.#place)
      this.#write(missed(this.#place, topic.head))
      this.#place = topic.head
    }
    while (!this.#stalled && this.#place < topic.head) {
      const { text, upto } = topic.after(this.#place, view)
      this.#place = upto
      if (text !== '') this.#write(text)
    }
  }

  /** A line that means nothing, and keeps what stands between from closing a quiet stream. */
  beat(): void {
    if (!this.#stalled) this.#write(':\n\n')
  }

  /** Its time is over, or the server's. It was not its fault. */
  end(): void {
    this.#sink.end()
    this.#leave(undefined)
  }

  /** Not every connection says that it was closed by us. */
  #leave(behind: number | undefined): void {
    if (this.#ended) return
    this.#ended = true
    this.#options.left(behind)
  }

  #write(text: string): void {
    if (this.#sink.write(text) || this.#sink.closed) return
    this.#stalled = true
    void this.#sink.drained().then(() => {
      if (this.#sink.closed) return
      this.#stalled = false
      this.advance()
    })
  }
}
