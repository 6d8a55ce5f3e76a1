import { err, messageOf, ok, type Failure, type Result, within } from '@amodal/kernel'
import { failure } from '../errors.ts'
import type { Row, Statement } from '../ports/database.ts'
import { isConflict } from './conflicts.ts'
import { DatabaseError, workFailure } from './failures.ts'

/**
 * What a server answers to a batch: the rows of its last statement, and what that statement was.
 */
export interface Answer {
  readonly rows: readonly Row[]
  readonly command: string
}

/** A transaction that may also run scripts of several statements. */
export interface Transaction {
  readonly run: (statement: Statement) => Promise<readonly Row[]>
  readonly script: (sql: string) => Promise<void>
}

/** One connection, for as long as the transaction lasts. */
export interface Line {
  /** Several statements in one round trip. */
  batch(statements: readonly Statement[]): Promise<Result<Answer, Failure>>
  script(sql: string): Promise<Result<void, Failure>>
}

const BEGIN: Statement = { sql: 'begin isolation level read committed', parameters: [] }
const COMMIT: Statement = { sql: 'commit', parameters: [] }
const ROLLBACK: Statement = { sql: 'rollback', parameters: [] }

/** A statement and what goes before it. */
export const stepsOf = (statement: Statement): readonly Statement[] =>
  statement.before ? [...statement.before, statement] : [statement]

/**
 * Runs `work` inside a transaction. `begin` travels with the first statement, so a transaction that
 * never runs one costs nothing. Rolled back when `work` throws or returns an `Err`, and as soon as
 * the signal aborts: statements that `work` still makes then find the transaction over. A conflict
 * with another transaction is what the caller gets, whatever `work` has made of it.
 *
 * @param settings statements to run right behind `begin`
 */
export async function runTransaction<T>(
  line: Line,
  work: (transaction: Transaction) => Promise<T>,
  signal: AbortSignal,
  settings: readonly Statement[] = [],
): Promise<Result<T, Failure>> {
  let state: 'new' | 'open' | 'over' = 'new'
  let last: Promise<unknown> = Promise.resolve()
  let conflict: Failure | undefined

  /** One after the other, whatever `work` does at the same time. */
  const next = <V>(
    act: (first: readonly Statement[]) => Promise<Result<V, Failure>>,
  ): Promise<V> => {
    const done = last.then(async () => {
      signal.throwIfAborted()
      if (state === 'over')
        throw new DatabaseError(
          failure('STORE_FAILED', 'the transaction is over', { details: { rolledBack: true } }),
        )
      const first = state === 'new' ? [BEGIN, ...settings] : []
      state = 'open'
      const acted = await act(first)
      if (!acted.ok) {
        if (isConflict(acted.error)) conflict = acted.error
        throw new DatabaseError(acted.error)
      }
      return acted.value
    })
    last = done.catch(() => undefined)
    return done
  }
  const end = async (statement: Statement): Promise<Result<Answer, Failure>> => {
    await last
    const begun = state === 'open'
    state = 'over'
    return begun ? line.batch([statement]) : ok({ rows: [], command: '' })
  }

  const transaction: Transaction = {
    run: async (statement) =>
      (await next((first) => line.batch([...first, ...stepsOf(statement)]))).rows,
    script: (sql) =>
      next(async (first) => {
        const begun = first.length > 0 ? await line.batch(first) : ok(undefined)
        return begun.ok ? line.script(sql) : begun
      }),
  }
  try {
    const value = await within(work(transaction), signal)
    if (isErr(value)) {
      await end(ROLLBACK)
      return conflict ? err(conflict) : ok(value)
    }
    const ended = await end(COMMIT)
    if (!ended.ok) return ended
    if (conflict) return err(conflict)
    // The commit of a transaction in which a statement failed is answered with a rollback, and with
    // no error.
    if (ended.value.command === 'ROLLBACK')
      return err(
        failure(
          'STORE_FAILED',
          'the transaction was rolled back: one of its statements had failed',
          { details: { rolledBack: true } },
        ),
      )
    return ok(value)
  } catch (cause) {
    await end(ROLLBACK)
    if (conflict && !signal.aborted) return err(conflict)
    // A transaction that was never committed is undone, also where its connection broke.
    if (cause instanceof DatabaseError && !signal.aborted)
      return err({ ...cause.failure, details: { ...cause.failure.details, rolledBack: true } })
    return err(
      signal.aborted
        ? failure('STORE_FAILED', `the transaction was rolled back: ${messageOf(signal.reason)}`, {
            details: { aborted: true, rolledBack: true },
            cause,
          })
        : workFailure(cause),
    )
  }
}

const isErr = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'ok' in value && value.ok === false
