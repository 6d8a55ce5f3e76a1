import {
  CODES,
  fixOf,
  explain,
  type Code,
  type Failure,
  type PlanProblem,
  type Result,
  type StartError,
} from '@amodal/sdk'

const BRAND = Symbol.for('amodal.error')

interface Details {
  readonly code: Code
  readonly fix: string
  readonly problems?: readonly PlanProblem[]
  readonly cause?: unknown
}

/**
 * What an embedding throws: `createAgent`, sessions, `loadRepo`. The message says what happened,
 * where, and what to do; `code` is one of the catalogue (`docs/http-api.md`), `fix` the next step.
 *
 * @example
 * try {
 *   await createAgent({ repoPath: './my-agent' })
 * } catch (error) {
 *   if (AmodalError.is(error) && error.code === 'NO_MODEL') console.error(error.fix)
 * }
 */
export class AmodalError extends Error {
  override readonly name = 'AmodalError'
  readonly code: Code
  /** The next step. */
  readonly fix: string
  /** Every reason, where a list of plugins cannot run. */
  readonly problems: readonly PlanProblem[]
  readonly [BRAND] = true

  constructor(message: string, { code, fix, problems = [], cause }: Details) {
    super(message, { cause })
    this.code = code
    this.fix = fix
    this.problems = problems
  }

  /** Also one of another copy of this package. */
  static is(error: unknown): error is AmodalError {
    return error instanceof Error && BRAND in error
  }

  static of(failed: Failure): AmodalError {
    const { code, message } = failed
    return new AmodalError(`${code}: ${message}`, { code, fix: fixOf(failed), cause: failed })
  }

  static ofStart(error: StartError): AmodalError {
    const { code, fix } = reasonOf(error)
    const problems = error.kind === 'plan' ? error.problems : []
    return new AmodalError(explain(error), { code, fix, problems, cause: error })
  }
}

function reasonOf(error: StartError): { readonly code: Code; readonly fix: string } {
  switch (error.kind) {
    case 'plan': {
      const [first] = error.problems
      return first ?? { code: 'BAD_CONFIG', fix: CODES.BAD_CONFIG }
    }
    case 'plugin':
      return { code: error.error.code, fix: fixOf(error.error) }
    case 'agent':
      return { code: error.failure.code, fix: fixOf(error.failure) }
  }
}

/** The value, or throws the failure as an {@link AmodalError}. */
export function orThrow<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value
  throw AmodalError.of(result.error)
}
