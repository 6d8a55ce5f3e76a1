import type { Conversation } from './conversation.ts'

/** Number of sessions in the list. */
const SHOWN = 10

/** The most recently used sessions, to choose from. */
export class SessionList {
  readonly #conversation: Conversation
  #shown: readonly string[] = []

  constructor(conversation: Conversation) {
    this.#conversation = conversation
  }

  /** A line for each session, with the number that {@link find} accepts. */
  async lines(current: string | undefined): Promise<readonly string[]> {
    const found = await this.#conversation.recent(SHOWN)
    this.#shown = found.map(({ id }) => id)
    return found.map(
      ({ id, title }, index) =>
        `${String(index + 1).padStart(4)}. ${title} (${id})${id === current ? ', this one' : ''}`,
    )
  }

  /** Finds a session by its number in the list, by its id, or by `latest`. */
  async find(text: string): Promise<string | undefined> {
    if (text === 'latest') return (await this.#conversation.recent(1))[0]?.id
    return /^\d+$/.test(text) ? this.#shown[Number(text) - 1] : text
  }
}
