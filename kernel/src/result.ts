/** A value or an error. Every operation of the product that can fail returns one. */
export type Result<T, E> = Ok<T> | Err<E>
export interface Ok<T> {
  readonly ok: true
  readonly value: T
}
export interface Err<E> {
  readonly ok: false
  readonly error: E
}

export const ok = <T>(value: T): Ok<T> => ({ ok: true, value })
export const err = <E>(error: E): Err<E> => ({ ok: false, error })

/** Runs `work` and turns a throw or a rejection into the `Err` that `wrap` returns. */
export async function tryAsync<T, E>(
  work: () => T | Promise<T>,
  wrap: (cause: unknown) => E,
): Promise<Result<T, E>> {
  try {
    return ok(await work())
  } catch (cause) {
    return err(wrap(cause))
  }
}

/** The synchronous twin of {@link tryAsync}. */
export function trySync<T, E>(work: () => T, wrap: (cause: unknown) => E): Result<T, E> {
  try {
    return ok(work())
  } catch (cause) {
    return err(wrap(cause))
  }
}

/** For the edges of a module, where an exception is the contract. */
export function unwrap<T, E>(result: Result<T, E>, describe: (error: E) => string): T {
  if (result.ok) return result.value
  throw new Error(describe(result.error), { cause: result.error })
}

/** The end of an exhaustive switch: a forgotten case does not compile. */
export function never(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`)
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
