import type { Conversation } from './conversation.ts'

/** How many are shown. */
const SHOWN = 10

/** The sessions that were used last, and which one a person means. */
export class SessionList {
  readonly #conversation: Conversation
  #shown: readonly string[] = []

  constructor(conversation: Conversation) {
    this.#conversation = conversation
  }

  /** A line for each, with the number that {@link find} knows it by. */
  async lines(current: string | undefined): Promise<readonly string[]> {
    const found = await this.#conversation.recent(SHOWN)
    this.#shown = found.map(({ id }) => id)
    return found.map(
      ({ id, title }, index) =>
        `${String(index + 1).padStart(4)}. ${title} (${id})${id === current ? ', this one' : ''}`,
    )
  }

  /** By a number of the list, by its id, or `latest`. */
  async find(text: string): Promise<string | undefined> {
    if (text === 'latest') return (await this.#conversation.recent(1))[0]?.id
    return /^\d+$/.test(text) ? this.#shown[Number(text) - 1] : text
  }
}
