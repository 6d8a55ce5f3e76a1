/** A proposed file, as far as a tick depends on it. */
export interface TickedFile {
  readonly path: string
  readonly kind: string
  readonly carries_rights: boolean
  readonly hunks: readonly object[]
}

/**
 * Which proposed files a person has ticked or unticked, while the page is open. A tick is for what
 * they have seen: it does not count for a file that was proposed anew since.
 */
export class Ticks {
  #ticks: ReadonlyMap<string, boolean> = new Map()
  readonly #listeners = new Set<() => void>()

  /** Changes with each tick. */
  get all(): ReadonlyMap<string, boolean> {
    return this.#ticks
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Files that carry rights are not ticked by themselves. */
  has(session: string, file: TickedFile): boolean {
    return this.#ticks.get(keyOf(session, file)) ?? !file.carries_rights
  }

  set(session: string, file: TickedFile, isOn: boolean): void {
    this.#ticks = new Map(this.#ticks).set(keyOf(session, file), isOn)
    for (const listener of this.#listeners) listener()
  }

  /** What was decided about a session's files is over. */
  forget(session: string): void {
    const own = JSON.stringify([session]).slice(0, -1)
    this.#ticks = new Map([...this.#ticks].filter(([key]) => !key.startsWith(`${own},`)))
    for (const listener of this.#listeners) listener()
  }
}

const keyOf = (session: string, { hunks, kind, path }: TickedFile): string =>
  JSON.stringify([session, path, kind, hunks])
