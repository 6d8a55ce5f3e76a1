import { randomBytes } from 'node:crypto'
import { err, ok, tenantId, type Failure, type Result, type TenantId } from '@amodal/sdk'
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

type Parts = Omit<GradeParts, 'judgements' | 'judge' | 'seconds'>

/** Runs evals and stores each result in the moment it is there. */
export class EvalRunner {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
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
      variants,
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

  /** Runs what is left of a run. */
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
      judge: { model, votes },
      seconds,
      judgements: {
        find: (key: string) => store.judgement(key),
        add: (key: string, reply: string) => store.addJudgement(key, reply),
      },
    }
    const isSpent = (): boolean => results.cost >= budget
    const work = async (): Promise<void> => {
      while (!signal.aborted && !isSpent()) {
        const next = pending.next()
        if (next.done) return
        const around = { bundle, real, tenant: tenantOf(header, next.value.index) }
        const result = await gradeTrial(parts, next.value, around, signal)
        if (!result) return
        await store.add(header.id, result)
        results.add(result)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    const status = statusOf(results.size >= header.trials, signal.aborted, isSpent())
    if (status !== 'open') await store.end(header.id, status)
    return status
  }
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
