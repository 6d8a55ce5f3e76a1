import { randomBytes } from 'node:crypto'
import {
  err,
  ok,
  tenantId,
  type Failure,
  type Logger,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import { EvalInvalid } from '../errors.ts'
import type {
  EvalRequest,
  EvalRun,
  RunHeader,
  RunStatus,
  RunStore,
  TrialResult,
} from '../results/result.ts'
import { settingsOf } from '../settings.ts'
import { commitOf } from './commit.ts'
import { gradeTrial, type GradeParts } from './grade-trial.ts'
import { planAgain, planOf, type Plan } from './plan.ts'
import { TenantCleaner } from './tenant-cleaner.ts'

/** A run that is about to begin, or to go on. */
export interface Prepared {
  readonly header: RunHeader
  readonly plan: Plan
  /** Results that an earlier process has stored. */
  readonly before: readonly TrialResult[]
}

export interface RunOptions {
  readonly store: RunStore
  readonly signal: AbortSignal
  /** Called in the order of the plan. */
  readonly onResult?: (result: TrialResult) => void
}

type Parts = Omit<GradeParts, 'cleaner' | 'judgements' | 'judge' | 'seconds'> & {
  readonly log: Logger
}

/** Runs evals and stores each result in the moment it is there. */
export class EvalRunner {
  readonly #parts: Parts
  readonly #cleaner: TenantCleaner

  constructor(parts: Parts) {
    this.#parts = parts
    this.#cleaner = new TenantCleaner(parts)
  }

  /** A new run; its header is stored. */
  async begin(request: EvalRequest, store: RunStore): Promise<Result<Prepared, Failure>> {
    const { agent, clock, generation } = this.#parts
    const bundle = agent.bundle()
    if (!bundle) return err(EvalInvalid("the agent's files are not loaded"))
    const plan = planOf(request, generation(), bundle)
    if (!plan.ok) return plan
    const { suites, trials, variants } = plan.value
    const startedAt = new Date(clock.now()).toISOString()
    const commit = bundle.root === undefined ? undefined : await commitOf(bundle.root)
    const header: RunHeader = {
      id: `run-${startedAt.replaceAll(/[-:]|\.\d+Z$/g, '').toLowerCase()}-${randomBytes(4).toString('hex')}`,
      startedAt,
      request,
      suites: suites.map(({ hash, name }) => ({ name, hash })),
      variants: variants.map(({ model, name }) => ({
        name,
        ...(model && { model: { provider: model.provider, model: model.model } }),
      })),
      trials: trials.length,
      bundle: bundle.hash,
      ...(commit !== undefined && { commit }),
    }
    await store.begin(header)
    return ok({ header, plan: plan.value, before: [] })
  }

  /** A run that was cut off, or that stopped at its budget. */
  resume(run: EvalRun): Result<Prepared, Failure> {
    const bundle = this.#parts.agent.bundle()
    if (!bundle) return err(EvalInvalid("the agent's files are not loaded"))
    const plan = planAgain(run, bundle)
    return plan.ok ? ok({ header: run, plan: plan.value, before: run.results }) : plan
  }

  /** Empties the tenants of trials that an earlier process has left behind. */
  async emptyTenants({ tenants }: RunStore): Promise<void> {
    const bundle = this.#parts.agent.bundle()
    if (!tenants || !bundle) return
    for (const tenant of await tenants.all())
      if (await this.#cleaner.clear({ tenant }, bundle)) await tenants.remove(tenant)
  }

  /** Results of other files would not be of the same run. */
  #isChanged({ bundle }: RunHeader): boolean {
    return this.#parts.agent.bundle()?.hash !== bundle
  }

  /**
   * Runs what is left of a run.
   *
   * @returns `open` where it was cut off: by its signal, or since the agent's files have changed
   */
  async run({ before, header, plan }: Prepared, options: RunOptions): Promise<RunStatus> {
    const { signal, store } = options
    const bundle = this.#parts.agent.bundle()
    if (!bundle) return 'open'
    const results = new InOrder(before, options.onResult)
    const pending = plan.trials.filter(({ index }) => !results.has(index)).values()
    const { budget = Infinity, concurrency, real } = header.request
    const { judge: model, seconds, votes } = settingsOf(bundle)
    const parts = {
      ...this.#parts,
      cleaner: this.#cleaner,
      judge: { model, votes },
      seconds,
      judgements: {
        find: (key: string) => store.judgement(key),
        add: (key: string, reply: string) => store.addJudgement(key, reply),
      },
    }
    const isSpent = (): boolean => results.cost >= budget
    const stop = new AbortController()
    const either = AbortSignal.any([signal, stop.signal])
    const work = async (): Promise<void> => {
      while (!either.aborted && !isSpent() && !this.#isChanged(header)) {
        const next = pending.next()
        if (next.done) return
        const tenant = tenantOf(header, next.value.index)
        await store.tenants?.add(tenant)
        const graded = await gradeTrial(parts, next.value, { bundle, real, tenant }, either)
        if (graded.isCleared) await store.tenants?.remove(tenant)
        if (!graded.result) return
        await store.add(header.id, graded.result)
        results.add(graded.result)
      }
    }
    await allOrStop(Array.from({ length: concurrency }, work), stop)
    const status = statusOf(results.size >= header.trials, signal.aborted, isSpent())
    if (status !== 'open') await store.end(header.id, status)
    return status
  }
}

/** Where one of them fails, the others stop before this does. */
async function allOrStop(works: readonly Promise<void>[], stop: AbortController): Promise<void> {
  const stopping = works.map((work) =>
    work.catch((cause: unknown) => {
      stop.abort()
      throw cause
    }),
  )
  const ended = await Promise.allSettled(stopping)
  const broken = ended.find((one) => one.status === 'rejected')
  if (broken) throw broken.reason
}

function statusOf(isComplete: boolean, isAborted: boolean, isSpent: boolean): RunStatus {
  if (isComplete) return 'done'
  if (isAborted) return 'open'
  return isSpent ? 'budget' : 'open'
}

/** A tenant of its own for each try of each trial: nothing of an earlier one is in it. */
const tenantOf = ({ id }: RunHeader, index: number): TenantId =>
  tenantId(`eval-${id}-${index}-${randomBytes(3).toString('hex')}`)

/** Tells results in the order of the plan, whichever is there first. */
class InOrder {
  readonly #results: Map<number, TrialResult>
  readonly #tell: ((result: TrialResult) => void) | undefined
  #next = 0
  /** Dollars, of agents and judges. */
  cost = 0

  constructor(before: readonly TrialResult[], tell: ((result: TrialResult) => void) | undefined) {
    this.#results = new Map()
    this.#tell = tell
    for (const result of before) this.add(result)
  }

  get size(): number {
    return this.#results.size
  }

  has(index: number): boolean {
    return this.#results.has(index)
  }

  add(result: TrialResult): void {
    this.#results.set(result.index, result)
    this.cost += (result.cost ?? 0) + (result.judge?.cost ?? 0)
    for (let next = this.#results.get(this.#next); next; next = this.#results.get(++this.#next))
      this.#tell?.(next)
  }
}
