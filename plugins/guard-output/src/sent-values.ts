import type { JsonObject, OutputRedactor, RunContext } from '@amodal/sdk'
import { leavesOf, PLACEHOLDERS } from './arguments.ts'
import { Effort } from './effort.ts'
import { mayRead } from './handles.ts'
import type { Review } from './review.ts'

/** Finds redacted values in texts that a call sends, by the scope of its run. */
export class SentValues {
  readonly #review: Review
  readonly #runs = new WeakMap<object, RunContext>()

  constructor(review: Review) {
    this.#review = review
  }

  /** Remembers the run of a call; called for every call before it is made. */
  remember(ctx: RunContext): void {
    this.#runs.set(ctx.scope, ctx)
  }

  /**
   * Paths of texts that hold a value of another connection, or stand for one. What a connection has
   * said itself, or the person may see, may go to it.
   */
  withheldIn(
    value: JsonObject,
    { scope, roles, action }: Parameters<OutputRedactor['redactedPaths']>[1],
  ): readonly string[] {
    const run = this.#runs.get(scope)
    const isHeld = (text: string): boolean => {
      if (PLACEHOLDERS.has(text.trim())) return true
      if (!run) return false
      const effort = Effort.forText(text)
      const found = this.#review.known(run).find(text, effort)
      return (
        effort.exceeded ||
        found.some(
          ({ value: one }) =>
            !mayRead(one, roles) &&
            (one.connection === undefined || one.connection !== action?.connection),
        )
      )
    }
    const paths = [...leavesOf(value, '', '')].flatMap(({ path, text }) =>
      isHeld(text) ? [path.replace(/^\./, '')] : [],
    )
    return [...new Set(paths)]
  }
}
