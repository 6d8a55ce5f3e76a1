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
  const open = new OpenTransaction(line, signal, settings)
  try {
    const value = await within(work(open.transaction), signal)
    if (!isErr(value)) return await open.commit(value)
    await open.end(ROLLBACK)
    return open.conflict ? err(open.conflict) : ok(value)
  } catch (cause) {
    await open.end(ROLLBACK)
    return err(whyUndone(cause, open.conflict, signal))
  }
}

class OpenTransaction {
  /** With another transaction, in one of its statements. */
  conflict: Failure | undefined
  readonly #line: Line
  readonly #signal: AbortSignal
  readonly #settings: readonly Statement[]
  #state: 'new' | 'open' | 'over' = 'new'
  #last: Promise<unknown> = Promise.resolve()

  constructor(line: Line, signal: AbortSignal, settings: readonly Statement[]) {
    this.#line = line
    this.#signal = signal
    this.#settings = settings
  }

  /** What the work is given. */
  readonly transaction: Transaction = {
    run: async (statement) =>
      (await this.#next((first) => this.#line.batch([...first, ...stepsOf(statement)]))).rows,
    script: (sql) =>
      this.#next(async (first) => {
        const begun = first.length > 0 ? await this.#line.batch(first) : ok(undefined)
        return begun.ok ? this.#line.script(sql) : begun
      }),
  }

  async commit<T>(value: T): Promise<Result<T, Failure>> {
    const ended = await this.end(COMMIT)
    if (!ended.ok) return ended
    if (this.conflict) return err(this.conflict)
    // The commit of a transaction in which a statement failed is answered with a rollback, and with
    // no error.
    return ended.value.command === 'ROLLBACK'
      ? err(rolledBack('the transaction was rolled back: one of its statements had failed'))
      : ok(value)
  }

  async end(statement: Statement): Promise<Result<Answer, Failure>> {
    await this.#last
    const begun = this.#state === 'open'
    this.#state = 'over'
    return begun ? this.#line.batch([statement]) : ok({ rows: [], command: '' })
  }

  /** One after the other, whatever the work does at the same time. */
  #next<V>(act: (first: readonly Statement[]) => Promise<Result<V, Failure>>): Promise<V> {
    const done = this.#last.then(async () => {
      this.#signal.throwIfAborted()
      if (this.#state === 'over') throw new DatabaseError(rolledBack('the transaction is over'))
      const first = this.#state === 'new' ? [BEGIN, ...this.#settings] : []
      this.#state = 'open'
      const acted = await act(first)
      if (acted.ok) return acted.value
      if (isConflict(acted.error)) this.conflict = acted.error
      throw new DatabaseError(acted.error)
    })
    this.#last = done.catch(() => undefined)
    return done
  }
}

const rolledBack = (message: string): Failure =>
  failure('STORE_FAILED', message, { details: { rolledBack: true } })

function whyUndone(cause: unknown, conflict: Failure | undefined, signal: AbortSignal): Failure {
  if (signal.aborted)
    return failure('STORE_FAILED', `the transaction was rolled back: ${messageOf(signal.reason)}`, {
      details: { aborted: true, rolledBack: true },
      cause,
    })
  if (conflict) return conflict
  // A transaction that was never committed is undone, also where its connection broke.
  return cause instanceof DatabaseError
    ? { ...cause.failure, details: { ...cause.failure.details, rolledBack: true } }
    : workFailure(cause)
}

const isErr = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'ok' in value && value.ok === false
