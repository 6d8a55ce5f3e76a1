import {
  NANO,
  timeLimit,
  type Clock,
  type HookTaps,
  type Logger,
  type RunContext,
  type TenantId,
} from '@amodal/sdk'
import { experimentsOf } from '../definition.ts'
import type { Decisions } from '../storage/decisions.ts'
import type { ExperimentBook, Observation } from '../storage/observation.ts'
import { participationsOf } from './participation.ts'

/** ms in which a run is counted. */
const WRITE_MS = 8_000

interface Parts {
  readonly bookOf: (tenant: TenantId) => ExperimentBook
  readonly decisions: Decisions
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}

/** What the journal says of a run until it ends. */
interface Seen {
  /** Dollars, where a price is known. */
  cost: number | null
  /** A person was asked: the time until they answered says nothing of the agent. */
  waited: boolean
}

/** Counts the runs of sessions that take part, and what people think of their answers. */
export function tapObservations(hooks: HookTaps, parts: Parts): void {
  const seen = new WeakMap<object, Seen>()
  const seenOf = (ctx: object): Seen => {
    const known = seen.get(ctx) ?? { cost: null, waited: false }
    seen.set(ctx, known)
    return known
  }
  // A rating that comes at once waits until its run is counted.
  const counting = new Map<string, Promise<void>>()
  hooks.journal.write.tap((entry, ctx) => {
    if (entry.kind === 'run_ended')
      seenOf(ctx).cost = entry.cost === undefined ? null : entry.cost / NANO
    if (entry.kind === 'input_asked' || entry.kind === 'input_answered') seenOf(ctx).waited = true
    return undefined
  })
  hooks.run.end.tap(async ({ ms, reason }, ctx) => {
    // A sub-agent is a part of the run that began it, with its costs.
    if (ctx.delegated) return
    const { cost, waited } = seenOf(ctx)
    const counted = count(parts, ctx, {
      cost,
      failed: reason !== 'model_stop' && reason !== 'user_abort',
      seconds: waited ? null : ms / 1_000,
    }).finally(() => counting.delete(ctx.run))
    counting.set(ctx.run, counted)
    await counted
  })
  hooks.event.runtime.tap((event, { tenant }) => {
    if (event.type !== 'feedback.given') return
    const { rating, run, session } = event
    if (typeof run !== 'string' || typeof session !== 'string') return
    const answer = { session, run, rating: RATINGS[String(rating)] ?? null }
    const addRating = (): Promise<void> => rate(parts, tenant, answer)
    void (counting.get(run) ?? Promise.resolve()).then(addRating, addRating)
  })
}

const RATINGS: Readonly<Record<string, 0 | 1>> = { up: 1, down: 0 }

async function count(
  { bookOf, clock, decisions, log }: Parts,
  ctx: RunContext,
  facts: Pick<Observation, 'cost' | 'failed' | 'seconds'>,
): Promise<void> {
  const participations = Object.entries(participationsOf(ctx.sessionState))
  if (participations.length === 0) return
  const limit = timeLimit(WRITE_MS, 'counting a run of an experiment')
  const decided = await decisions.of(ctx.tenant, limit)
  for (const [name, variant] of participations) {
    const experiment = experimentsOf(ctx.bundle).find((one) => one.name === name)
    const isOver = experiment?.status !== 'running' || (decided.ok && decided.value.has(name))
    if (!experiment || isOver) continue
    const added = await bookOf(ctx.tenant).add(
      {
        ...facts,
        experiment: name,
        variant,
        version: experiment.version,
        principal: ctx.principal,
        session: ctx.session,
        run: ctx.run,
        at: clock.now(),
      },
      limit,
    )
    if (!added.ok)
      log.warn('experiments.not_counted', {
        experiment: name,
        run: ctx.run,
        code: added.error.code,
        message: added.error.message,
      })
  }
}

async function rate(
  { bookOf, log }: Parts,
  tenant: TenantId,
  answer: Parameters<ExperimentBook['rate']>[0],
): Promise<void> {
  const limit = timeLimit(WRITE_MS, 'counting a rating of an experiment')
  const rated = await bookOf(tenant).rate(answer, limit)
  if (!rated.ok)
    log.warn('experiments.addRatingnot_counted', {
      run: answer.run,
      code: rated.error.code,
      message: rated.error.message,
    })
}
