import { defined } from '../defined.ts'
import { err, messageOf, type Failure, type Result, onAbort } from '@amodal/kernel'
import { failure } from '../errors.ts'

/** What a server says of an error, as far as it says it. */
interface ServerError {
  readonly code?: unknown
  readonly constraint?: unknown
  readonly table?: unknown
}

const SQLSTATE = /^[0-9A-Z]{5}$/
/**
 * The server ends this connection, or never opened it. (The severity does not say so: it is in the
 * server's language.)
 */
const CONNECTION = /^(08|57P0[1-5]|25P0[34])/
/** The statement's own data is at fault: repeating it alone gives the same. */
const DATA = /^(22|23|54)/

/** Carries a {@link Failure} through code that throws, such as the work of a transaction. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly failure: Failure

  constructor(of: Failure) {
    super(of.message, { cause: of.cause })
    this.failure = of
  }
}

/**
 * `STORE_FAILED` for whatever a driver threw. `details.sqlstate` where the server named one;
 * `details.connection: true` where the connection broke, so that nothing is known about the write.
 */
export function statementFailure(cause: unknown): Failure {
  if (cause instanceof DatabaseError) return cause.failure
  const server: ServerError = typeof cause === 'object' && cause !== null ? cause : {}
  const code = textIn(server.code)
  const sqlstate = code !== undefined && SQLSTATE.test(code) ? code : undefined
  const broke = sqlstate === undefined || CONNECTION.test(sqlstate)
  const named = sqlstate === undefined ? '' : ` (SQLSTATE ${sqlstate})`
  return failure(
    'STORE_FAILED',
    broke
      ? `the connection to the database broke: ${messageOf(cause)}${named}`
      : `the database refused the statement: ${messageOf(cause)}${named}`,
    {
      details: defined({
        sqlstate,
        connection: broke || undefined,
        constraint: textIn(server.constraint),
        table: textIn(server.table),
      }),
      cause,
    },
  )
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

/** A statement that was given up before it reached the database: nothing was written. */
export function notStarted(signal: AbortSignal): Failure {
  return failure('STORE_FAILED', `the statement was not started: ${messageOf(signal.reason)}`, {
    details: { aborted: true },
    cause: signal.reason,
  })
}

/** Waits for `promise` no longer than `signal` lets it. What was begun goes on. */
export async function until<T>(
  promise: Promise<Result<T, Failure>>,
  signal: AbortSignal,
): Promise<Result<T, Failure>> {
  if (signal.aborted) return err(notStarted(signal))
  const aborted = Promise.withResolvers<Result<T, Failure>>()
  const leave = onAbort(signal, () => aborted.resolve(err(notStarted(signal))))
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    leave()
  }
}

/** Whatever the work of a transaction threw. */
export function workFailure(cause: unknown): Failure {
  if (cause instanceof DatabaseError) return cause.failure
  return failure('STORE_FAILED', `the transaction was rolled back: ${messageOf(cause)}`, {
    details: { rolledBack: true },
    cause,
  })
}

export function sqlstateOf({ details }: Failure): string | undefined {
  return typeof details?.['sqlstate'] === 'string' ? details['sqlstate'] : undefined
}

/** The connection broke: what it carried may or may not have been written. */
export function connectionBroke({ details }: Failure): boolean {
  return details?.['connection'] === true
}

/** The data itself was refused (SQLSTATE 22, 23, 54), so a repetition would be refused as well. */
export function refusedData(of: Failure): boolean {
  return DATA.test(sqlstateOf(of) ?? '')
}

/**
 * The server no longer has this prepared statement, or its row type has changed: preparing it once
 * more helps.
 */
export function staleStatement(of: Failure): boolean {
  const state = sqlstateOf(of)
  return state === '26000' || (state === '0A000' && of.message.includes('cached plan'))
}
