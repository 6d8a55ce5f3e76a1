import type { Outbox, SentMessage } from '@amodal/sdk/client'

/**
 * Outboxes of conversations without a session yet, over one that all share: each has its own
 * messages. The first one that is used has those of the page before it was reloaded as well.
 */
export class DraftOutboxes {
  readonly #shared: Outbox
  #isRestored = false

  constructor(shared: Outbox) {
    this.#shared = shared
  }

  outbox(): Outbox {
    const own = new Set<string>()
    const isVisible = ({ session, key }: SentMessage): boolean =>
      session !== undefined || own.has(key)
    const all = (): readonly SentMessage[] => {
      const messages = this.#shared.list()
      if (!this.#isRestored) for (const { key } of messages) own.add(key)
      this.#isRestored = true
      return messages
    }
    return {
      list: () => all().filter(isVisible),
      store: (messages) => {
        const others = all().filter((message) => !isVisible(message))
        for (const { key } of messages) own.add(key)
        this.#shared.store([...others, ...messages])
      },
    }
  }
}
