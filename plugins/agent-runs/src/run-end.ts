import { modelErrorOf, type Agent, type Caller, type Failure, type Result, ok } from '@amodal/sdk'
import { isRunEnded, type EndedRunStatus } from '@amodal/sdk/wire'
import type { RunJobs } from './run-jobs.ts'
import type { RunNews } from './run-news.ts'
import { needsResult, setAsideOf, statusOf, type RunView } from './run-status.ts'
import { refOf, type RunRow, type RunTable } from './run-table.ts'

/** What the journal makes of a run: it goes on, it ended, or it is to be tried again as a whole. */
export type Verdict =
  | { readonly kind: 'open' }
  | { readonly kind: 'ended'; readonly status: EndedRunStatus }
  | { readonly kind: 'retry' }

interface EndParts {
  readonly agent: Agent
  readonly table: RunTable
  readonly jobs: RunJobs
  readonly news: RunNews
  /** Times that a whole run is tried again after a provider had no capacity. */
  readonly providerRetries: number
}

/**
 * The ends of runs. An end is written to the row once, whoever notices it first, and then told to
 * whoever wants to hear of it.
 */
export class RunEnd {
  readonly #parts: EndParts

  constructor(parts: EndParts) {
    this.#parts = parts
  }

  verdict(view: RunView): Verdict {
    const { row, progress } = view
    if (row.status) return { kind: 'ended', status: row.status }
    if (setAsideOf(view)) return { kind: 'ended', status: 'error' }
    const end = progress.endOf(row.attempt)
    if (!end) return { kind: 'open' }
    switch (end.reason) {
      case 'user_abort':
        return { kind: 'ended', status: 'canceled' }
      case 'error':
        return row.attempt <= this.#parts.providerRetries && hadNoCapacity(end.error)
          ? { kind: 'retry' }
          : { kind: 'ended', status: 'error' }
      case 'budget_exceeded':
      case 'loop_detected':
        return { kind: 'ended', status: 'error' }
      case 'model_stop':
      case 'max_turns': {
        const isMissing = needsResult(row) && !progress.result
        return { kind: 'ended', status: isMissing ? 'error' : 'complete' }
      }
      default:
        return end.reason satisfies never
    }
  }

  /** Writes an end that the journal has and the row has not. @returns the run as it is then */
  async settled(view: RunView): Promise<Result<RunView, Failure>> {
    const verdict = this.verdict(view)
    if (verdict.kind !== 'ended' || isRunEnded(statusOf(view))) return ok(view)
    const done = await this.end(view, verdict.status)
    if (!done.ok) return done
    if (done.value) return ok({ ...view, row: done.value })
    const row = await this.#parts.table.find(refOf(view.row))
    return row.ok ? ok({ ...view, row: row.value ?? view.row }) : row
  }

  /** @returns the run as it ended; `undefined`: it had ended before */
  async end(
    view: RunView,
    status: EndedRunStatus,
    reason?: string,
  ): Promise<Result<RunRow | undefined, Failure>> {
    const ref = refOf(view.row)
    const ended = await this.#parts.table.end(ref, status, reason)
    if (!ended.ok || !ended.value) return ended
    this.#parts.news.ring(ref, { isUrgent: true, ofRow: true }) // the statement has told the others
    // Whoever looks for ends that were not told does it where this fails.
    const told = await this.finish({ row: ended.value })
    return ok({ ...ended.value, notified: told.ok })
  }

  /** Stops what still works for a run that ended, and tells of its end. */
  async finish({ row }: Pick<RunView, 'row'>): Promise<Result<void, Failure>> {
    if (row.notified) return ok(undefined)
    const ref = refOf(row)
    if (row.status === 'canceled' && row.attempt > 0) {
      const stopped = await this.#parts.agent.as(callerOf(row)).cancel(ref.session)
      if (!stopped.ok && stopped.error.code !== 'SESSION_NOT_FOUND') return stopped
    }
    if (row.webhook !== null && row.status !== null) {
      const told = await this.#parts.jobs.webhook(row, eventOf(row.status))
      if (!told.ok) return told
    }
    return this.#parts.table.notified(ref)
  }
}

/** On whose behalf a run works. */
export const callerOf = (row: RunView['row']): Caller => ({
  ...refOf(row),
  principal: row.principal as Caller['principal'], // written from a caller
  roles: row.roles,
})

function eventOf(status: EndedRunStatus): string {
  switch (status) {
    case 'complete':
      return 'agent.session.completed'
    case 'error':
      return 'agent.session.failed'
    case 'canceled':
      return 'agent.session.canceled'
    default:
      return status satisfies never
  }
}

/** A provider refused for want of capacity, also after every retry within the run. */
const hadNoCapacity = (error: Pick<Failure, 'code' | 'message'> | undefined): boolean =>
  error?.code === 'MODEL_FAILED' &&
  (modelErrorOf(error).class === 'rate_limit' || / answered 429\b/.test(error.message))
