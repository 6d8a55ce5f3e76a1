interface Place {
  readonly seq: number
  readonly n: number
}

/**
 * Text that was sent to a client which cannot take any of it back. What comes again after a reset
 * is sent from where it differs, or goes on.
 */
export class SaidText {
  #pieces: { readonly text: string; readonly place: Place }[] = []
  /** What the client has beyond the pieces. */
  #ahead = ''
  #sent = ''

  /** All that the client has. */
  get text(): string {
    return this.#sent
  }

  /** @returns what is still to be sent of it */
  add(text: string, place: Place): string {
    this.#pieces.push({ text, place })
    const fresh = this.#beyond(text)
    this.#sent += fresh
    return fresh
  }

  /** What came behind an entry comes again. */
  reset(after: number): void {
    const stays = ({ place: { seq, n } }: { readonly place: Place }): boolean =>
      seq < after || (seq === after && n === 0)
    const gone = this.#pieces.filter((piece) => !stays(piece))
    this.#pieces = this.#pieces.filter(stays)
    this.#ahead = gone.map(({ text }) => text).join('') + this.#ahead
  }

  #beyond(text: string): string {
    if (this.#ahead === '') return text
    const ahead = this.#ahead
    if (ahead.startsWith(text)) {
      this.#ahead = ahead.slice(text.length)
      return ''
    }
    this.#ahead = ''
    // Other words than before: a new line says where they begin.
    return text.startsWith(ahead) ? text.slice(ahead.length) : `\n${text}`
  }
}
