/** Messages to keep. */
const LIMIT = 500

/** Messages that were sent before, to send once more. */
export class History {
  #messages: readonly string[] = []
  /** Place in the messages; their number: the draft that is being typed. */
  #at = 0
  #draft = ''

  add(message: string): void {
    if (this.#messages.at(-1) !== message)
      this.#messages = [...this.#messages, message].slice(-LIMIT)
    this.#at = this.#messages.length
  }

  /** @returns `undefined` where there is no earlier message */
  earlier(draft: string): string | undefined {
    if (this.#at === 0) return undefined
    if (this.#at === this.#messages.length) this.#draft = draft
    return this.#messages[--this.#at]
  }

  /** @returns the draft behind the newest message; `undefined` where that is shown already */
  later(): string | undefined {
    if (this.#at === this.#messages.length) return undefined
    return ++this.#at === this.#messages.length ? this.#draft : this.#messages[this.#at]
  }
}
