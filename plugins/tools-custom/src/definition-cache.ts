import type { JsonObject } from '@amodal/sdk'
import type { SyntaxProblem } from './examine.ts'

/** Broken codes that are remembered: one that somebody is at work on is met at every reload. */
const BROKEN = 32

/**
 * What code has said of its tool, by the digest of the code: a reload asks again only where
 * something changed.
 */
export class Definitions {
  #known = new Map<string, JsonObject | undefined>()
  readonly #broken = new Map<string, SyntaxProblem>()

  has(digest: string): boolean {
    return this.#known.has(digest)
  }
  get(digest: string): JsonObject | undefined {
    return this.#known.get(digest)
  }
  set(digest: string, definition: JsonObject | undefined): void {
    this.#known.set(digest, definition)
  }

  /** Why the code cannot be parsed; `undefined` where nobody knows. */
  problem(digest: string): SyntaxProblem | undefined {
    return this.#broken.get(digest)
  }

  setProblem(digest: string, problem: SyntaxProblem): void {
    const [oldest] = this.#broken.keys()
    if (this.#broken.size >= BROKEN && oldest !== undefined) this.#broken.delete(oldest)
    this.#broken.set(digest, problem)
  }

  /** Forgets the rest. */
  keep(digests: ReadonlySet<string>): void {
    this.#known = new Map([...this.#known].filter(([digest]) => digests.has(digest)))
  }
}
