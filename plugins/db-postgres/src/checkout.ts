import type { PoolClient } from 'pg'
import {
  connectionBroke,
  staleStatement,
  statementFailure,
  type Answer,
  type Line,
  type PreparedStatements,
} from '@amodal/sdk/database'
import { err, messageOf, ok, type Failure, type Result, type Statement } from '@amodal/sdk'
import { Batch } from './batch.ts'
import { cancel } from './cancel.ts'

/**
 * ms that the server gets to answer a cancel, and to send the error of its own `statement_timeout`.
 */
const GRACE_MS = 1_000

export interface CheckoutOptions {
  readonly client: PoolClient
  readonly prepared: PreparedStatements
  /** ms a statement may take; 0: no limit. The server knows the same limit and is quicker. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * A connection taken from the pool. A statement that is aborted or overdue is cancelled at the
 * server, which then says for certain that it did not happen; a server that does not answer loses
 * the connection, and the write is in doubt.
 */
export class Checkout implements Line {
  readonly #client: PoolClient
  readonly #prepared: PreparedStatements
  readonly #timeoutMs: number
  readonly #signal: AbortSignal
  /** It broke, or was cancelled: a cancel that comes late would hit whatever runs on it next. */
  #spent = false
  /** The server did not answer, and may still be at it. */
  #lost = false

  constructor({ client, prepared, timeoutMs, signal }: CheckoutOptions) {
    this.#client = client
    this.#prepared = prepared
    this.#timeoutMs = timeoutMs
    this.#signal = signal
  }

  async batch(statements: readonly Statement[]): Promise<Result<Answer, Failure>> {
    const done = await this.#watched<Answer>((settle) =>
      this.#client.query(new Batch(statements, this.#prepared, settle)),
    )
    if (!done.ok && staleStatement(done.error)) this.#prepared.forget()
    return done
  }

  /** Through the simple protocol, which takes several statements at once. */
  script(sql: string): Promise<Result<void, Failure>> {
    return this.#watched<void>((settle) =>
      this.#client.query(sql, [], (failed: Error | null) => settle(failed ?? undefined, undefined)),
    )
  }

  /** Back to the pool, or away with it where it is not usable any more. */
  release(): void {
    this.#client.release(this.#spent)
  }

  #watched<T>(
    send: (settle: (failed: Error | undefined, value: T) => void) => void,
  ): Promise<Result<T, Failure>> {
    if (this.#lost)
      return Promise.resolve(err(statementFailure(new Error('the server did not answer'))))
    return new Promise((resolve) => {
      let grace: NodeJS.Timeout | undefined
      const end = (done: Result<T, Failure>): void => {
        clearTimeout(overdue)
        clearTimeout(grace)
        this.#signal.removeEventListener('abort', stop)
        if (!done.ok && connectionBroke(done.error)) this.#spent = true
        resolve(done)
      }
      const stop = (): void => {
        this.#spent = true
        cancel(this.#client)
        grace = setTimeout(() => {
          this.#lost = true
          const why = this.#signal.aborted
            ? messageOf(this.#signal.reason)
            : `no answer within ${this.#timeoutMs} ms`
          end(err(statementFailure(new Error(why))))
        }, GRACE_MS)
      }
      const overdue =
        this.#timeoutMs > 0 ? setTimeout(stop, this.#timeoutMs + GRACE_MS).unref() : undefined
      this.#signal.addEventListener('abort', stop, { once: true })
      try {
        send((failed, value) => end(failed ? err(statementFailure(failed)) : ok(value)))
      } catch (cause) {
        end(err(statementFailure(cause)))
      }
    })
  }
}
