import type { JsonObject } from '@amodal/sdk'
import type { SyntaxProblem } from './examine.ts'

/** Cached syntax errors: code under development is checked at every reload. */
const BROKEN = 32

/**
 * Caches the definition in a tool's code by the digest of the code: a reload evaluates only code
 * that changed.
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

  /** The syntax error of the code; `undefined` if it is not cached. */
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
