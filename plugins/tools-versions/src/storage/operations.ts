import { randomUUID } from 'node:crypto'
import {
  err,
  failure,
  timeLimit,
  type Failure,
  type Result,
  type TenantDatabase,
} from '@amodal/sdk'
import { PeriodicTask, runQuery } from '@amodal/sdk/database'
import { OperationInProgress } from '../errors.ts'
import { BEGIN_OPERATION, END_OPERATION, RENEW_OPERATION } from './tool-statements.ts'

/** ms for one statement. */
export const STATEMENT_MS = 10_000

/** A publication or deprecation that alone changes the versions of a tool. */
export interface Operation {
  readonly tool: string
  readonly id: string
  /** Aborts when another instance may begin one. */
  readonly signal: AbortSignal
}

/**
 * Lets one operation at a time change a tool, on whatever instance. Its lease is renewed while it
 * runs; that of a process which was killed ends by itself.
 */
export class Operations {
  readonly #leaseMs: number

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs
  }

  /** @returns `OPERATION_IN_PROGRESS` at once where another one runs */
  async run<T>(
    database: TenantDatabase,
    tool: string,
    signal: AbortSignal,
    work: (operation: Operation) => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure>> {
    const id = randomUUID()
    const ms = this.#leaseMs
    const begun = await runQuery(
      database,
      BEGIN_OPERATION({ id: tool, operation: id, ms }),
      timeLimit(STATEMENT_MS, 'beginning an operation', signal),
    )
    if (!begun.ok) return begun
    if (begun.value.length === 0) return err(inProgress())
    const lost = new AbortController()
    const renewal = new PeriodicTask(ms / 3, async (ending) => {
      const renewed = await runQuery(
        database,
        RENEW_OPERATION({ id: tool, operation: id, ms }),
        timeLimit(ms / 3, 'renewing an operation', ending),
      )
      if (renewed.ok && renewed.value.length === 0)
        lost.abort(new Error('another request took over this operation'))
      return false
    })
    renewal.start()
    try {
      return await work({ tool, id, signal: AbortSignal.any([signal, lost.signal]) })
    } finally {
      await renewal.stop()
      // not with the signal of the request: a request that was aborted ends its operation too
      await runQuery(
        database,
        END_OPERATION({ id: tool, operation: id }),
        timeLimit(STATEMENT_MS, 'ending an operation'),
      )
    }
  }
}

export const inProgress = (): Failure =>
  OperationInProgress('another request is changing the versions of this tool')

/** What an operation ends with whose signal was aborted. */
export const aborted = (doing: string): Failure => failure('TIMEOUT', `${doing} took too long`)
