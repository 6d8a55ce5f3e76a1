import {
  deadline,
  chooseModel,
  err,
  type AgentBundle,
  type Failure,
  type ModelConfig,
  type TenantId,
} from '@amodal/sdk'
import type { EvalCase } from '../definition.ts'
import { JudgeFailed } from '../errors.ts'
import { chooseJudge } from '../judge/choose-judge.ts'
import { judge, modelName, type Judged, type Judgements } from '../judge/judge.ts'
import type { LineResult, TrialResult, Variant } from '../results/result.ts'
import { runTrial, type TrialObserved } from '../trial/run-trial.ts'
import type { TrialParts } from '../trial/trial-parts.ts'
import { Trial } from '../trial/trial.ts'
import { gradeChecks, gradeRubric, statusOf } from './grade.ts'
import type { TenantCleaner } from './tenant-cleaner.ts'

export interface GradeParts extends TrialParts {
  readonly judgements: Judgements
  readonly cleaner: TenantCleaner
  readonly judge: {
    readonly model: ModelConfig | undefined
    readonly votes: number
  }
  /** Seconds that one trial may take. */
  readonly seconds: number
}

/** One place of a plan. */
export interface PlannedTrial {
  readonly index: number
  readonly suite: string
  readonly case: EvalCase
  readonly variant: Variant
  readonly trial: number
}

export interface GradedTrial {
  readonly result: TrialResult | undefined
  /** Nothing is left in the tenant of the trial. */
  readonly isCleared: boolean
}

type Graded = Omit<TrialResult, 'index' | 'suite' | 'case' | 'variant' | 'trial' | 'at'>

/**
 * Runs one case once and grades it: first what needs no model, and the judge only where all of that
 * passes. Its tenant is emptied afterwards.
 *
 * @returns without a result where it was interrupted
 */
export async function gradeTrial(
  parts: GradeParts,
  planned: PlannedTrial,
  {
    bundle,
    real,
    tenant,
  }: {
    readonly bundle: AgentBundle
    readonly real: readonly string[]
    readonly tenant: TenantId
  },
  signal: AbortSignal,
): Promise<GradedTrial> {
  const { index, suite, trial: number, variant } = planned
  const trial = new Trial(tenant, planned.case, { model: variant.model, real })
  const begun = parts.clock.monotonic()
  const limit = deadline(signal, parts.seconds * 1_000, 'the case')
  parts.trials.add(trial)
  let result: TrialResult | undefined
  let isCleared = false
  try {
    const observed = await runTrial(parts, trial, bundle, limit.signal)
    const graded = observed.ok
      ? await grade(parts, trial, observed.value, { bundle, signal: limit.signal })
      : failed(observed.error, (parts.clock.monotonic() - begun) / 1_000)
    const place = { index, suite, case: planned.case.name, variant: variant.name, trial: number }
    if (!signal.aborted)
      result = { ...place, ...graded, at: new Date(parts.clock.now()).toISOString() }
  } finally {
    limit.clear()
    isCleared = await parts.cleaner.clear(trial, bundle)
    parts.trials.remove(trial)
  }
  return { isCleared, result }
}

async function grade(
  parts: GradeParts,
  trial: Trial,
  observed: TrialObserved,
  { bundle, signal }: { readonly bundle: AgentBundle; readonly signal: AbortSignal },
): Promise<Graded> {
  const { final } = observed
  const ended = endedBadly(trial.case, observed)
  const checks = gradeChecks(trial.case, observed, trial.problems)
  const facts = {
    turns: final.turns,
    calls: final.calls,
    tokens: final.tokens,
    modelCalls: final.modelCalls,
    seconds: final.seconds,
    ...(final.cost !== undefined && { cost: final.cost }),
  }
  if (ended) return { ...facts, status: 'error', error: ended, lines: checks }
  const passes = checks.every(({ passed }) => passed)
  if (!passes || trial.case.rubric.length === 0)
    return { ...facts, status: statusOf(checks, undefined), lines: checks }
  const chosen = chooseJudge(
    parts.generation(),
    bundle,
    parts.judge.model,
    trial.model ?? chooseModel(parts.generation(), bundle, 'main'),
  )
  const judged = chosen
    ? await judge(parts, trial, final, { config: chosen.config, votes: parts.judge.votes }, signal)
    : err(JudgeFailed('there is no model to judge with'))
  const lines: readonly LineResult[] = judged.ok
    ? [...checks, ...gradeRubric(trial.case, judged.value)]
    : checks
  return {
    ...facts,
    status: statusOf(lines, judged),
    lines,
    ...(!judged.ok && { error: errorOf(judged.error) }),
    ...(judged.ok && chosen && { judge: spentBy(chosen, judged.value) }),
  }
}

const spentBy = (
  { config, isSubject }: { readonly config: ModelConfig; readonly isSubject: boolean },
  { cost, tokens }: Judged,
): NonNullable<TrialResult['judge']> => ({
  model: modelName(config),
  tokens,
  isSubject,
  ...(cost !== undefined && { cost }),
})

/** A turn that ended with an error says nothing of the agent, unless the case asks for it. */
function endedBadly(
  { checks, turns }: EvalCase,
  { final }: TrialObserved,
): TrialResult['error'] | undefined {
  const asksForEnd = [...checks, ...turns.flatMap((turn) => turn.checks)].some(
    ({ kind }) => kind === 'ends',
  )
  const last = final.turns.at(-1)
  if (last?.reason !== 'error' || asksForEnd) return undefined
  const [, code = 'ERROR', message = ''] = /^(\w+): ([^]*)$/.exec(last.error ?? '') ?? []
  return { code, message }
}

const errorOf = ({ code, message }: Failure): NonNullable<TrialResult['error']> => ({
  code,
  message,
})

const failed = (error: Failure, seconds: number): Graded => ({
  status: 'error',
  error: errorOf(error),
  lines: [],
  turns: [],
  calls: [],
  tokens: { input: 0, output: 0 },
  modelCalls: 0,
  seconds,
})
