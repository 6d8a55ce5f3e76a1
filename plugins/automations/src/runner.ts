import {
  deadline,
  sessionId,
  sha256,
  type Agent,
  type AgentClient,
  type Clock,
  type Job,
  type JobOutcome,
  type Logger,
  type PendingAsk,
  type SessionId,
  type SessionView,
} from '@amodal/sdk'
import { type Automation, automationsOf, type Source } from './definition.ts'
import { messageOf } from './run-message.ts'
import { principalOf, stateOf } from './run-state.ts'
import { outcomeOf, refusedIn } from './outcome.ts'
import { noticesOf, outgoingOf, proactiveWebhook } from './outgoing.ts'
import {
  deadlineOf,
  holdUntil,
  type Ref,
  type RefusedCall,
  type Run,
  type RunEnd,
  type RunPlan,
} from './run.ts'
import type { AutomationStore } from './store.ts'

/** What happens to runs, for whoever shows it. */
export type RunNews =
  | { readonly kind: 'triggered'; readonly run: Run }
  | { readonly kind: 'ended'; readonly run: Run; readonly end: RunEnd }
  | { readonly kind: 'skipped'; readonly run: Run }
  | { readonly kind: 'waiting'; readonly run: Run; readonly asks: readonly PendingAsk[] }

export interface RunnerParts {
  readonly store: AutomationStore
  readonly agent: Agent
  readonly clock: Clock
  readonly log: Logger
  /** Seconds that a run may take, where its file says nothing. */
  readonly deadline: number
  readonly tell: (news: RunNews) => void
}

/** ms between looks at a run whose server was lost. */
const LOOK_MS = 1_000
/** ms beyond its deadline that a run is given to say so itself. */
const MARGIN_MS = 5_000

const UNANSWERABLE = 'the run asked a question that nobody can answer'

type Drive =
  | { readonly kind: 'ended'; readonly end: RunEnd }
  | { readonly kind: 'later'; readonly outcome: JobOutcome }

const later = (reason: string, afterMs: number): Drive => ({
  kind: 'later',
  outcome: { kind: 'retry', reason, afterMs, burnsAttempt: false },
})

/**
 * Works on runs. Every step may be made again: the session and the message of a run have ids that
 * follow from it, so that a worker that takes over finds the run and goes on.
 */
export class Runner {
  readonly #parts: RunnerParts

  constructor(parts: RunnerParts) {
    this.#parts = parts
  }

  async work(job: Job, signal: AbortSignal): Promise<JobOutcome> {
    const { store } = this.#parts
    const { run: id } = job.data
    if (job.tenant === undefined || typeof id !== 'string')
      return { kind: 'dead', reason: 'the job names no run' }
    const ref = { tenant: job.tenant, id }
    const found = await store.run(ref)
    if (!found.ok) return { kind: 'retry', reason: found.error.message, burnsAttempt: false }
    if (!found.value) return { kind: 'dead', reason: `there is no run "${id}"` }
    if (found.value.endedAt !== undefined) return { kind: 'done' }
    const begun = await this.#begin(found.value)
    if ('outcome' in begun) return begun.outcome
    const { run, plan } = begun
    const driven = await this.#drive(run, plan, signal)
    if (driven.kind === 'later') return driven.outcome
    return this.#end(run, plan, driven.end)
  }

  /** Ends a run that nobody works on any more. */
  async giveUp(run: Run, error: string): Promise<void> {
    const end: RunEnd = { status: 'failed', at: this.#parts.clock.now(), error, refused: [] }
    const plan = run.plan
    if (plan) await this.#end(run, plan, end)
    else await this.#parts.store.end(run, end, { deliveries: [] })
  }

  async #begin(
    run: Run,
  ): Promise<{ readonly run: Run; readonly plan: RunPlan } | { readonly outcome: JobOutcome }> {
    const { store, agent, clock, tell } = this.#parts
    if (run.status === 'running' && run.plan) return { run, plan: run.plan }
    const bundle = agent.bundle()
    const automation = bundle && automationsOf(bundle).find(({ name }) => name === run.automation)
    if (!automation) {
      await this.giveUp(run, `there is no automation "${run.automation}" any more`)
      return { outcome: { kind: 'done' } }
    }
    const last = await store.lastCompleted(run.tenant, run.automation)
    if (!last.ok) return { outcome: retried(last.error.message) }
    const until = holdUntil(automation, clock.now())
    const claimed = await store.claim(run, {
      plan: this.#planOf(automation, run, last.value),
      session: sessionOf(run),
      now: clock.now(),
      skips: automation.overlap === 'skip',
      ...(until !== undefined && { holdUntil: until }),
    })
    if (!claimed.ok) return { outcome: retried(claimed.error.message) }
    const claim = claimed.value
    if (claim.kind === 'skipped') tell({ kind: 'skipped', run: claim.run })
    if (claim.kind === 'begin') tell({ kind: 'triggered', run: claim.run })
    if (claim.kind !== 'begin' && claim.kind !== 'resume') return { outcome: { kind: 'done' } }
    return claim.run.plan
      ? { run: claim.run, plan: claim.run.plan }
      : { outcome: { kind: 'dead', reason: 'the run has no plan' } }
  }

  #planOf(automation: Automation, run: Run, last: Run | undefined): RunPlan {
    const { title, prompt, writeEnabled, approvals, role, failureAlert } = automation
    const delivery = automation.delivery ?? this.#proactive()
    return {
      title,
      writeEnabled,
      approvals,
      role,
      deadlineMs: (automation.deadline ?? this.#parts.deadline) * 1_000,
      message: messageOf({
        automation: automation.name,
        prompt,
        source: run.source,
        due: run.due,
        ...(last?.startedAt !== undefined && { since: last.startedAt }),
        ...(last?.result !== undefined && { lastRunSummary: last.result }),
        ...(run.event !== undefined && { event: run.event }),
      }),
      ...(delivery && { delivery }),
      ...(failureAlert && { failureAlert }),
    }
  }

  /** Where results go that name no target: `proactive.webhook` of the manifest. */
  #proactive(): Automation['delivery'] {
    const url = proactiveWebhook(this.#parts.agent)
    return url === undefined ? undefined : { targets: [{ type: 'webhook', url }], order: 'none' }
  }

  async #drive(run: Run, plan: RunPlan, signal: AbortSignal): Promise<Drive> {
    const { clock } = this.#parts
    const client = this.#clientOf({ ...run, plan })
    const session = run.session ?? sessionOf(run)
    const left = deadlineOf(run, plan) + MARGIN_MS - clock.now()
    if (left <= 0) return this.#tooLate(client, session, run, plan)
    const limit = deadline(signal, left, 'the run')
    const traceparent = run.event?.traceparent
    try {
      const sent = await client.send(
        {
          session,
          create: true,
          kind: 'automation',
          key: run.id,
          ...(traceparent !== undefined && { headers: { traceparent } }),
          text: plan.message,
          sessionState: stateOf({
            automation: run.automation,
            run: run.id,
            writeEnabled: plan.writeEnabled,
            waits: plan.approvals === 'wait',
          }),
          limits: { timeoutSeconds: Math.ceil(plan.deadlineMs / 1_000) },
        },
        limit.signal,
      )
      if (!sent.ok) return later(sent.error.message, LOOK_MS)
      const tags = ['automation', `automation:${run.automation}`, `run:${run.id}`]
      const tagged = await client.update(session, { title: plan.title, tags }, limit.signal)
      if (!tagged.ok) this.#parts.log.warn('automations.not_tagged', { run: run.id })
      await follow(sent.value.frames, limit.signal)
    } finally {
      limit.clear()
    }
    if (signal.aborted) return later('the worker stops', 0)
    return this.#settled(client, session, run, plan)
  }

  /** What the journal says of the run; the stream may have ended with its server. */
  async #settled(client: AgentClient, session: SessionId, run: Run, plan: RunPlan): Promise<Drive> {
    const { clock } = this.#parts
    const view = await client.session(session)
    if (!view.ok) return later(view.error.message, LOOK_MS)
    const outcome = outcomeOf(view.value, run.id)
    const refused = await refusedBy(client, view.value)
    const at = clock.now()
    if (outcome.kind === 'open') {
      const isLate = at >= deadlineOf(run, plan)
      return isLate
        ? this.#tooLate(client, session, run, plan)
        : later('the run goes on elsewhere', LOOK_MS)
    }
    if (outcome.kind === 'asks' && plan.approvals === 'wait')
      return this.#wait(client, session, run, { plan, asks: outcome.asks })
    if (outcome.kind === 'asks' || outcome.kind === 'stuck') {
      await client.cancel(session)
      const error = outcome.kind === 'asks' ? UNANSWERABLE : outcome.error
      return { kind: 'ended', end: { status: 'failed', at, error, refused } }
    }
    const { result, error } = outcome
    return {
      kind: 'ended',
      end: {
        status: error === undefined ? 'completed' : 'failed',
        at,
        result,
        refused,
        ...(error !== undefined && { error }),
      },
    }
  }

  /** A person is asked: the run holds no worker until there is an answer. */
  async #wait(
    client: AgentClient,
    session: SessionId,
    run: Run,
    { plan, asks }: { readonly plan: RunPlan; readonly asks: readonly PendingAsk[] },
  ): Promise<Drive> {
    const { store, clock, tell } = this.#parts
    const now = clock.now()
    const waiting = await store.wait(run, now, noticesOf(run, plan, asks, now))
    if (!waiting.ok) return later(waiting.error.message, LOOK_MS)
    if (waiting.value) tell({ kind: 'waiting', run: waiting.value, asks })
    // Whoever answered before this was written found a run that did not wait.
    const view = await client.session(session)
    if (view.ok && outcomeOf(view.value, run.id).kind !== 'asks') await this.wake(run)
    return { kind: 'later', outcome: { kind: 'done' } }
  }

  /** Goes on with a run that waited, once its question is answered or has expired. */
  async wake(ref: Ref): Promise<void> {
    const { store, clock, log } = this.#parts
    const woken = await store.wake(ref, clock.now())
    if (!woken.ok) log.warn('automations.not_woken', { run: ref.id, message: woken.error.message })
  }

  /** Looks at a run that waits: its answer may have come to a server that was lost. */
  async look(run: Run): Promise<void> {
    const client = this.#clientOf(run)
    const view = await client.session(run.session ?? sessionOf(run))
    if (view.ok && outcomeOf(view.value, run.id).kind !== 'asks') return this.wake(run)
    if (!view.ok && view.error.code === 'SESSION_NOT_FOUND')
      await this.giveUp(run, 'its session is gone')
  }

  #clientOf({ tenant, automation, plan }: Run): AgentClient {
    return this.#parts.agent.as({
      tenant,
      principal: principalOf(automation),
      roles: plan ? [plan.role] : [],
    })
  }

  async #tooLate(client: AgentClient, session: SessionId, run: Run, plan: RunPlan): Promise<Drive> {
    const cancelled = await client.cancel(session)
    if (!cancelled.ok && cancelled.error.code !== 'SESSION_NOT_FOUND')
      return later(cancelled.error.message, LOOK_MS)
    const view = await client.session(session)
    const refused = view.ok ? await refusedBy(client, view.value) : []
    const error = `it took longer than ${plan.deadlineMs / 1_000} s, and was stopped`
    this.#parts.log.warn('automations.deadline', { automation: run.automation, run: run.id })
    return {
      kind: 'ended',
      end: { status: 'failed', at: this.#parts.clock.now(), error, refused },
    }
  }

  async #end(run: Run, plan: RunPlan, end: RunEnd): Promise<JobOutcome> {
    const ended = await this.#parts.store.end(run, end, outgoingOf(run, plan, end))
    if (!ended.ok) return retried(ended.error.message)
    if (ended.value) this.#parts.tell({ kind: 'ended', run, end })
    return { kind: 'done' }
  }
}

const retried = (reason: string): JobOutcome => ({ kind: 'retry', reason, burnsAttempt: true })

/** The same on every try. */
const sessionOf = ({ tenant, id }: Run): SessionId =>
  sessionId(`sess_${sha256(JSON.stringify(['automation', tenant, id])).slice(0, 24)}`)

/** Reads to the end of the turn, or to a question. */
async function follow(
  frames: AsyncIterable<{ readonly event: { readonly type: string } }> & { close(): void },
  signal: AbortSignal,
): Promise<void> {
  const stop = (): void => frames.close()
  if (signal.aborted) return stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const { event } of frames)
      if (event.type === 'done' || event.type === 'confirmation_required') break
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** Refused calls of the run and of its sub-agents. */
async function refusedBy(
  client: AgentClient,
  { entries }: SessionView,
): Promise<readonly RefusedCall[]> {
  const refused = [...refusedIn(entries)]
  for (const entry of entries) {
    if (entry.kind !== 'child_opened') continue
    const child = await client.session(entry.child)
    if (child.ok) refused.push(...(await refusedBy(client, child.value)))
  }
  return refused
}

/** How a run is said to have been started, in events. */
export const sourceOf = (source: Source): 'cron' | 'webhook' | 'manual' =>
  source === 'backfill' ? 'manual' : source
