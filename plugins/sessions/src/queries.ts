import { type AsyncResult, err, ok, type Database } from '@amodal/sdk'
import { runQuery, type RowOf, type TypedStatement } from '@amodal/sdk/database'
import { inDoubt } from './failures.ts'

/** Runs statements about sessions, and reads their rows. */
export class SessionQueries {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async run<R>(
    statement: TypedStatement<R>,
    signal: AbortSignal,
  ): AsyncResult<readonly RowOf<R>[]> {
    const rows = await runQuery(this.#database, statement, signal)
    return rows.ok ? rows : err(inDoubt(rows.error))
  }

  /** Every row. */
  async all<R, T>(
    statement: TypedStatement<R>,
    read: (row: RowOf<R>) => T,
    signal: AbortSignal,
  ): AsyncResult<readonly T[]> {
    const rows = await this.run(statement, signal)
    return rows.ok ? ok(rows.value.map((row) => read(row))) : rows
  }

  /** The first row, if there is one. */
  async first<R, T>(
    statement: TypedStatement<R>,
    read: (row: RowOf<R>) => T,
    signal: AbortSignal,
  ): AsyncResult<T | undefined> {
    const rows = await this.all(statement, read, signal)
    return rows.ok ? ok(rows.value[0]) : rows
  }

  /** Whether there is a row. */
  async any<R>(statement: TypedStatement<R>, signal: AbortSignal): AsyncResult<boolean> {
    const rows = await this.run(statement, signal)
    return rows.ok ? ok(rows.value.length > 0) : rows
  }
}
