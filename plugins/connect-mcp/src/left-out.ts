/** Reasons that are kept of each kind. */
const MOST = 20
/** Reasons that a status names. */
const NAMED = 3

/** What of a server's messages could not be read: of what it offers, and of its results. */
export class LeftOut {
  readonly #offers = new Set<string>()
  readonly #results = new Set<string>()

  /** What it offers is read anew. */
  begin(): void {
    this.#offers.clear()
  }

  /** @returns whether it was not known yet */
  add(method: string, reason: string): boolean {
    const isOffer = method === 'initialize' || /^server\/|\/list$/.test(method)
    const kind = isOffer ? this.#offers : this.#results
    const text = `${method} ${reason}`
    if (kind.has(text)) return false
    const [oldest] = kind
    if (kind.size >= MOST && oldest !== undefined) kind.delete(oldest)
    kind.add(text)
    return true
  }

  /** Of what it offers, in one line; `undefined` where everything could be read. */
  get problem(): string | undefined {
    const reasons = [...this.#offers]
    if (reasons.length === 0) return undefined
    const more = reasons.length > NAMED ? `; and ${reasons.length - NAMED} more` : ''
    return `left out, since it cannot be read: ${reasons.slice(0, NAMED).join('; ')}${more}`
  }

  get all(): readonly string[] {
    return [...this.#offers, ...this.#results]
  }
}
