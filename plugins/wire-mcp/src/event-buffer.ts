import type { EventStore } from '@modelcontextprotocol/server'

type Message = Parameters<EventStore['storeEvent']>[1]
interface Kept {
  readonly id: string
  readonly stream: string
  readonly message: Message
}

/** The last messages of one connection, for streams that were cut (`Last-Event-ID`). */
export class EventBuffer implements EventStore {
  readonly #most: number
  readonly #used: () => void
  #kept: Kept[] = []
  #count = 0

  /** @param used is told of each message: the connection is in use */
  constructor(most: number, used: () => void) {
    this.#most = most
    this.#used = used
  }

  storeEvent(stream: string, message: Message): Promise<string> {
    this.#used()
    const id = `${stream}:${++this.#count}`
    this.#kept.push({ id, stream, message })
    if (this.#kept.length > this.#most) this.#kept = this.#kept.slice(-this.#most)
    return Promise.resolve(id)
  }

  /** Of an event that is kept no more nothing can be said, and its stream begins anew. */
  getStreamIdForEventId(id: string): Promise<string | undefined> {
    return Promise.resolve(this.#kept.find((one) => one.id === id)?.stream)
  }

  async replayEventsAfter(
    last: string,
    { send }: { readonly send: (id: string, message: Message) => Promise<void> },
  ): Promise<string> {
    const at = this.#kept.findIndex(({ id }) => id === last)
    const stream = this.#kept[at]?.stream ?? ''
    for (const { id, message } of this.#kept.slice(at + 1).filter((one) => one.stream === stream))
      await send(id, message)
    return stream
  }
}
