import type { EventSink } from '@amodal/sdk'
import type { Topic } from './topic.ts'
import type { View } from './view.ts'

/** Sent to a client that has missed events: its state may be stale and must be fetched anew. */
const missed = (afterSeq: number, seq: number): string =>
  `event: events_replay_overrun\ndata: ${JSON.stringify({ type: 'events_replay_overrun', afterSeq, seq, timestamp: new Date().toISOString() })}\n\n`

export interface SubscriberOptions {
  readonly topic: Topic
  readonly view: View
  /** The place of the last event that the client names, if it does. */
  readonly from: number | undefined
  /** ms at which its stream ends. */
  readonly until: number
  /** It has missed events: those after `place` are not buffered any more. */
  readonly onOverrun: (place: number) => void
  /** It has disconnected. `behind`: the undelivered events of a client that did not read. */
  readonly onLeave: (behind: number | undefined) => void
}

/**
 * One reader: a place among the events of its tenant. It stores no events, so a client that does
 * not read costs only the buffer of its connection.
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
    sink.write(':\n\n') // the response begins now, not with the first event
  }

  /** Writes pending events, as far as the client reads. */
  advance(): void {
    const { topic, view, onOverrun } = this.#options
    if (!this.#stalled && !topic.has(this.#place)) {
      onOverrun(this.#place)
      this.#write(missed(this.#place, topic.head))
      this.#place = topic.head
    }
    while (!this.#stalled && this.#place < topic.head) {
      const { text, upto } = topic.after(this.#place, view)
      this.#place = upto
      if (text !== '') this.#write(text)
    }
  }

  /** Writes a comment line, so that proxies do not close a quiet stream. */
  beat(): void {
    if (!this.#stalled) this.#write(':\n\n')
  }

  /** Ends the stream at its maximum duration or with the server. */
  end(): void {
    this.#sink.end()
    this.#leave(undefined)
  }

  /** Runs once: not every connection reports that this side has closed it. */
  #leave(behind: number | undefined): void {
    if (this.#ended) return
    this.#ended = true
    this.#options.onLeave(behind)
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
