import type { Connection, Submittable } from 'pg'
import {
  decodeRow,
  encodeAll,
  shapeOf,
  type Answer,
  type PreparedStatements,
  type Use,
} from '@amodal/sdk/database'
import type { Row, Statement } from '@amodal/sdk'

interface Step {
  readonly use: Use
  readonly sql: string
  readonly values: (string | null)[]
}

/**
 * Several statements as one message to the server, closed by a single `Sync`: one round trip, and
 * one transaction unless another is open (extended query protocol, PostgreSQL documentation
 * 54.2.3). Handed to `client.query`, which calls the `handle…` methods as answers arrive.
 */
export class Batch implements Submittable {
  readonly #steps: readonly Step[]
  readonly #settle: (failed: Error | undefined, answer: Answer) => void
  readonly #rows: Row[] = []
  #at = 0
  #command = ''
  #settled = false

  /**
   * @param prepared what this connection has prepared
   * @param settle called once; a parameter that is no value of a database is thrown at once instead
   */
  constructor(
    statements: readonly Statement[],
    prepared: PreparedStatements,
    settle: (failed: Error | undefined, answer: Answer) => void,
  ) {
    const values = statements.map(({ parameters }) => encodeAll(parameters))
    this.#steps = statements.map(({ sql }, at) => ({
      sql,
      values: values[at] ?? [],
      use: prepared.use(sql),
    }))
    this.#settle = settle
  }

  submit(connection: Connection): void {
    const { stream } = connection
    stream.cork() // one packet for all of it
    try {
      for (const {
        use: {
          statement: { name },
          fresh,
          close,
        },
        sql,
        values,
      } of this.#steps) {
        for (const old of close) connection.close({ type: 'S', name: old }, true)
        if (fresh) {
          connection.parse({ name, text: sql, types: [] }, true)
          connection.describe({ type: 'S', name }, true)
        }
        connection.bind({ statement: name, values }, true)
        connection.execute(null, true)
      }
      connection.sync()
    } finally {
      stream.uncork()
    }
  }

  handleRowDescription({
    fields,
  }: {
    readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
  }): void {
    const statement = this.#steps[this.#at]?.use.statement
    if (statement) statement.shape = shapeOf(fields)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const shape = this.#steps[this.#at]?.use.statement.shape
    if (shape && this.#at === this.#steps.length - 1) this.#rows.push(decodeRow(shape, fields))
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#command = text
    this.#completed()
  }

  handleEmptyQuery(): void {
    this.#completed()
  }

  handleError(cause: Error): void {
    this.#end(cause)
  }

  handleReadyForQuery(): void {
    this.#end(undefined)
  }

  /**
   * `copy … from stdin` has nothing to read here: the server is told so, and answers with an error.
   */
  handleCopyInResponse(
    connection: Connection & { sendCopyFail?: (message: string) => void },
  ): void {
    connection.sendCopyFail?.('copy is not supported')
  }

  handleCopyData(): void {
    /* `copy … to stdout`: its data goes nowhere */
  }

  handlePortalSuspended(): void {
    /* every portal is read to its end */
  }

  #completed(): void {
    const step = this.#steps[this.#at++]
    if (step) step.use.statement.known = true
  }

  #end(failed: Error | undefined): void {
    if (this.#settled) return
    this.#settled = true
    this.#settle(failed, { rows: this.#rows, command: this.#command })
  }
}
