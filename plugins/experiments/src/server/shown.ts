import type { JsonObject } from '@amodal/sdk'
import { METRICS, type Metric } from '../definition.ts'
import type { VariantVerdict } from '../verdict/verdict.ts'
import type { FoundExperiment, JudgedExperiment } from './service.ts'

/** `offline`: only `amodal ops experiment` compares its variants. */
export type ShownStatus = 'running' | 'offline' | 'stopped' | 'promoted'

export function statusOf({ decision, experiment }: FoundExperiment): ShownStatus {
  if ((decision?.promoted ?? experiment.promoted) !== undefined) return 'promoted'
  if (decision || experiment.status === 'stopped') return 'stopped'
  return experiment.share > 0 ? 'running' : 'offline'
}

/** An experiment as clients get it. */
export function experimentShown(found: FoundExperiment): JsonObject {
  const { decision, experiment } = found
  const promoted = decision?.promoted ?? experiment.promoted
  return {
    name: experiment.name,
    file: experiment.file,
    description: experiment.description,
    status: statusOf(found),
    share: experiment.share,
    metric: experiment.metric,
    alpha: experiment.alpha,
    min_principals: experiment.minPrincipals,
    control: experiment.control,
    variants: experiment.variants.map(({ name }) => name),
    promoted: promoted ?? null,
    decided: decision
      ? { at: new Date(decision.at).toISOString(), principal: decision.principal }
      : null,
  }
}

/** The same with the figures of each variant. */
export const judgedShown = (judged: JudgedExperiment): JsonObject => ({
  ...experimentShown(judged),
  figures: judged.variants.map(figuresShown),
})

function figuresShown(variant: VariantVerdict): JsonObject {
  const metrics = METRICS.map((metric): readonly [Metric, JsonObject] => {
    const { count, interval, mean } = variant.metrics[metric]
    return [
      metric,
      {
        principals: count,
        mean: count === 0 ? null : mean,
        difference: interval ? interval.difference : null,
        interval: interval ? [interval.low, interval.high] : null,
      },
    ]
  })
  return {
    variant: variant.variant,
    control: variant.isControl,
    principals: variant.principals,
    runs: variant.runs,
    verdict: variant.verdict ?? null,
    metrics: Object.fromEntries(metrics),
  }
}
