import {
  ok,
  sessionId,
  type Agent,
  type Clock,
  type Failure,
  type Job,
  type JobOutcome,
  type JsonObject,
  type Result,
  type RunLimitsRequest,
  type SessionId,
} from '@amodal/sdk'
import type { ProviderDelays } from './provider-delays.ts'
import { callerOf, type RunEnd } from './run-end.ts'
import type { RunJobs } from './run-jobs.ts'
import type { RunNews } from './run-news.ts'
import { attemptKey } from './run-progress.ts'
import { WORKING, type RunReader } from './run-reader.ts'
import { stateWith } from './run-state.ts'
import { setAsideOf, statusOf, type RunView } from './run-status.ts'
import { refOf, type RunRow, type RunTable } from './run-table.ts'

interface WorkerParts {
  readonly agent: Agent
  readonly clock: Pick<Clock, 'now'>
  readonly table: RunTable
  readonly reader: RunReader
  readonly end: RunEnd
  readonly jobs: RunJobs
  readonly news: RunNews
  readonly delays: ProviderDelays
}

const DONE: JobOutcome = { kind: 'done' }
/** Another worker goes on with it at once. */
const HAND_OVER: JobOutcome = {
  kind: 'retry',
  reason: 'the worker stops',
  afterMs: 0,
  burnsAttempt: false,
}
const failedWith = ({ code, message }: Failure): JobOutcome => ({
  kind: 'retry',
  reason: `${code}: ${message}`,
  burnsAttempt: true,
})

const GO_ON =
  'The provider of your model had no capacity left, so the work stopped. Go on with the task from where it stopped; do not repeat what is done.'

/**
 * Drives runs for the queue. A job only wakes: it sends the message that begins the work, under a
 * key, and waits until the run ended or asks a person. Whatever was done stands in the journal, so
 * the same job again goes on from there.
 */
export class RunWorker {
  readonly #parts: WorkerParts
  /** Jobs at work, by their runs. */
  readonly #active = new Map<SessionId, number>()

  constructor(parts: WorkerParts) {
    this.#parts = parts
  }

  /** Whether a job of this process looks after the run now. */
  has(session: SessionId): boolean {
    return this.#active.has(session)
  }

  async work({ data, tenant }: Job, signal: AbortSignal): Promise<JobOutcome> {
    const { session } = data
    if (typeof session !== 'string' || tenant === undefined)
      return { kind: 'dead', reason: 'the job names no run' }
    const id = sessionId(session)
    const taken = await this.#parts.table.take({ tenant, session: id })
    if (!taken.ok) return failedWith(taken.error)
    const { row, begun } = taken.value
    if (!row) return DONE // erased, or removed with its session
    this.#count(id, 1)
    try {
      return await this.#drive(row, begun, signal)
    } finally {
      this.#count(id, -1)
    }
  }

  #count(session: SessionId, change: number): void {
    const left = (this.#active.get(session) ?? 0) + change
    if (left > 0) this.#active.set(session, left)
    else this.#active.delete(session)
  }

  async #drive(row: RunRow, begun: boolean, signal: AbortSignal): Promise<JobOutcome> {
    const { session } = refOf(row)
    let sent = 0
    const { reader } = this.#parts
    const first = { row, hasSession: !begun }
    for await (const look of reader.watch(callerOf(row), session, signal, WORKING, first)) {
      if (!look.ok) return failedWith(look.error)
      const { view } = look.value
      const outcome = await this.#step(view, sent)
      if (outcome) return outcome
      sent = Math.max(1, view.row.attempt)
    }
    return signal.aborted ? HAND_OVER : DONE
  }

  /**
   * What is to be done now. `undefined`: wait until something changes.
   *
   * @param sent the attempt whose message this job has sent
   */
  async #step(view: RunView, sent: number): Promise<JobOutcome | undefined> {
    const verdict = this.#parts.end.verdict(view)
    switch (verdict.kind) {
      case 'ended':
        return this.#ended(view)
      case 'retry':
        return this.#again(view)
      case 'open':
        break
      default:
        return verdict satisfies never
    }
    if (statusOf(view) === 'awaiting_input') return this.#paused(view)
    const attempt = Math.max(1, view.row.attempt)
    if (sent === attempt || view.progress.hasBegun(attempt)) return undefined
    return this.#begin(view, attempt)
  }

  async #ended(view: RunView): Promise<JobOutcome> {
    const settled = await this.#parts.end.settled(view)
    if (!settled.ok) return failedWith(settled.error)
    const finished = await this.#parts.end.finish(settled.value)
    if (!finished.ok) return failedWith(finished.error)
    const stopped = await this.#stopCanceled(settled.value)
    if (!stopped.ok) return failedWith(stopped.error)
    const aside = setAsideOf(view)
    return aside && !view.row.status ? { kind: 'dead', reason: aside.message } : DONE
  }

  /** The provider had no capacity: the whole run is tried again when it may have some. */
  async #again({ row }: RunView): Promise<JobOutcome | undefined> {
    const { clock, delays, table, news } = this.#parts
    const now = clock.now()
    const ref = refOf(row)
    const due = row.retry_at?.getTime() ?? now + delays.of(ref.session, row.attempt)
    if (!row.retry_at) {
      const postponed = await table.postpone(ref, row.attempt, new Date(due))
      if (!postponed.ok) return failedWith(postponed.error)
      await news.tell(ref)
    }
    if (due <= now) return this.#begin({ row }, row.attempt + 1)
    return {
      kind: 'retry',
      reason: 'the provider of the model has no capacity',
      afterMs: due - now,
      burnsAttempt: false,
    }
  }

  /** A person is asked: the run holds no worker until there is an answer. */
  async #paused({ row, session }: Pick<RunView, 'row' | 'session'>): Promise<JobOutcome> {
    for (const { id } of row.webhook === null ? [] : (session?.asks ?? [])) {
      const told = await this.#parts.jobs.webhook(row, 'agent.session.paused', id)
      if (!told.ok) return failedWith(told.error)
    }
    return DONE
  }

  /** Sends the message of an attempt: under its key it is one message, however often it is sent. */
  async #begin({ row }: Pick<RunView, 'row'>, attempt: number): Promise<JobOutcome | undefined> {
    const { agent, table, news } = this.#parts
    const ref = refOf(row)
    const begun = row.attempt < attempt ? await table.begin(ref, attempt) : ok(true)
    if (!begun.ok) return failedWith(begun.error)
    const now = begun.value ? ok(row) : await table.find(ref)
    if (!now.ok) return failedWith(now.error)
    if (!now.value || now.value.status) return undefined // the next look sees it
    const client = agent.as(callerOf(row))
    const sent = await client.send({
      session: ref.session,
      create: true,
      kind: 'agent-run',
      key: attemptKey(attempt),
      text: attempt === 1 ? textOf(row) : GO_ON,
      sessionState: stateWith(row.profile),
      limits: limitsOf(row.limits),
    })
    if (!sent.ok) return failedWith(sent.error)
    sent.value.frames.close() // the journal tells what comes of it
    news.ring(ref, { isUrgent: false, ofRow: row.attempt < attempt })
    return undefined
  }

  /** Whoever cancelled just before the message was there had nothing to cancel. */
  async #stopCanceled({ row, progress }: RunView): Promise<Result<void, Failure>> {
    if (row.status !== 'canceled' || row.attempt === 0 || progress.endOf(row.attempt))
      return ok(undefined)
    const stopped = await this.#parts.agent.as(callerOf(row)).cancel(refOf(row).session)
    return stopped.ok || stopped.error.code === 'SESSION_NOT_FOUND' ? ok(undefined) : stopped
  }
}

/** The task with its parameters, as the message that begins the work. */
export function textOf({ task, params }: Pick<RunRow, 'task' | 'params'>): string {
  if (!params || Object.keys(params).length === 0) return task
  return `${task}\n\nParameters of the task:\n\`\`\`json\n${JSON.stringify(params, undefined, 2)}\n\`\`\``
}

/** What the row keeps of the profile's limits. */
function limitsOf(kept: JsonObject): RunLimitsRequest {
  const number = (name: string): number | undefined => {
    const value = kept[name]
    return typeof value === 'number' ? value : undefined
  }
  const maxTurns = number('maxTurns')
  const maxSessionTokens = number('maxTokens')
  const timeoutSeconds = number('maxSeconds')
  const tier = kept['model']
  return {
    onMaxTurns: 'ask',
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxSessionTokens !== undefined && { maxSessionTokens }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...((tier === 'explore' || tier === 'simple' || tier === 'advanced') && { tier }),
  }
}
