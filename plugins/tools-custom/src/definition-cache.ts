import type { JsonObject } from '@amodal/sdk'

/** What code has said of its tool, by the digest of the code: a reload asks again only where something changed. */
export class Definitions {
  #known = new Map<string, JsonObject | undefined>()

  has(digest: string): boolean { return this.#known.has(digest) }
  get(digest: string): JsonObject | undefined { return this.#known.get(digest) }
  set(digest: string, definition: JsonObject | undefined): void { this.#known.set(digest, definition) }

  /** Forgets the rest. */
  keep(digests: ReadonlySet<string>): void {
    this.#known = new Map([...this.#known].filter(([digest]) => digests.has(digest)))
  }
}
