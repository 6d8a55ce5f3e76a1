import type { JsonObject, OutputRedactor, RunContext } from '@amodal/sdk'
import { leavesOf, PLACEHOLDERS } from './arguments.ts'
import { mayRead } from './handles.ts'
import { type Reader, readerOf, type Review } from './review.ts'

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
  redactedPaths(
    value: JsonObject,
    { scope, roles, action }: Parameters<OutputRedactor['redactedPaths']>[1],
  ): readonly string[] {
    const run = this.#runs.get(scope)
    const reader = run && readerOf(run)
    const connection = action?.connection
    const paths = [...leavesOf(value, '', '')].flatMap(({ path, text }) =>
      PLACEHOLDERS.has(text.trim()) || (reader && this.#holds(text, reader, roles, connection))
        ? [path.replace(/^\./, '')]
        : [],
    )
    return [...new Set(paths)]
  }

  #holds(
    text: string,
    reader: Reader,
    roles: readonly string[],
    connection: string | undefined,
  ): boolean {
    const found = this.#review.tracked(text, reader)
    return (
      found === undefined ||
      found.some(
        (value) =>
          !mayRead(value, roles) &&
          (value.connection === undefined || value.connection !== connection),
      )
    )
  }
}
