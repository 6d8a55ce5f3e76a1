import { METRICS, type Experiment, type Metric } from '../definition.ts'
import { NO_SAMPLE, type Sample, type VariantFigures } from '../storage/observation.ts'
import { differenceOf, type Interval } from './confidence.ts'

/** Whether more of it is better, and whether its values lie in [0, 1]. */
const KINDS: Readonly<Record<Metric, { readonly more: boolean; readonly bounded: boolean }>> = {
  feedback: { more: true, bounded: true },
  errors: { more: false, bounded: true },
  cost: { more: false, bounded: false },
  latency: { more: false, bounded: false },
}

/** `too_few`: there is none before each variant has its principals. */
export type VerdictKind = 'better' | 'worse' | 'undecided' | 'too_few'

/** How a variant compares with the control in one metric. */
export interface Comparison extends Sample {
  /** Left out for the control, and where too little is known. */
  readonly interval?: Interval
}

export interface VariantVerdict {
  readonly variant: string
  readonly isControl: boolean
  readonly principals: number
  readonly runs: number
  readonly metrics: Readonly<Record<Metric, Comparison>>
  /** Of the experiment's metric; left out for the control. */
  readonly verdict?: VerdictKind
}

/**
 * Compares each variant with the control. Several variants share the accepted chance of a false
 * verdict (Bonferroni).
 */
export function verdictsOf(
  experiment: Pick<Experiment, 'alpha' | 'control' | 'metric' | 'minPrincipals' | 'variants'>,
  figures: readonly VariantFigures[],
): readonly VariantVerdict[] {
  const { control, metric, minPrincipals, variants } = experiment
  const alpha = experiment.alpha / Math.max(1, variants.length - 1)
  const sampleIn = (variant: string, of: Metric): Sample =>
    figures.find((one) => one.variant === variant)?.metrics[of] ?? NO_SAMPLE
  return variants.map(({ name }) => {
    const isControl = name === control
    const found = figures.find((one) => one.variant === name)
    const compared = (of: Metric): Comparison => {
      const sample = sampleIn(name, of)
      const interval = isControl
        ? undefined
        : differenceOf(sampleIn(control, of), sample, { alpha, bounded: KINDS[of].bounded })
      return { ...sample, ...(interval && { interval }) }
    }
    const metrics: Record<Metric, Comparison> = {
      feedback: compared('feedback'),
      errors: compared('errors'),
      cost: compared('cost'),
      latency: compared('latency'),
    }
    const least = Math.min(metrics[metric].count, sampleIn(control, metric).count)
    const { interval } = metrics[metric]
    return {
      variant: name,
      isControl,
      principals: found?.principals ?? 0,
      runs: found?.runs ?? 0,
      metrics,
      ...(!isControl && {
        verdict: least < minPrincipals ? ('too_few' as const) : kindOf(metric, interval),
      }),
    }
  })
}

function kindOf(metric: Metric, interval: Interval | undefined): VerdictKind {
  if (!interval || (interval.low <= 0 && interval.high >= 0)) return 'undecided'
  return interval.low > 0 === KINDS[metric].more ? 'better' : 'worse'
}

/** A value of a metric, for people. */
export function metricText(metric: Metric, value: number): string {
  switch (metric) {
    case 'feedback':
    case 'errors':
      return `${(value * 100).toFixed(1)} %`
    case 'cost':
      return `$${value.toFixed(4)}`
    case 'latency':
      return `${value.toFixed(2)} s`
  }
}

/** The interval of a difference, for people. */
export const intervalText = (metric: Metric, { high, low }: Interval): string =>
  `${signed(metric, low)} to ${signed(metric, high)}`

export const signed = (metric: Metric, value: number): string =>
  `${value < 0 ? '−' : '+'}${metricText(metric, Math.abs(value))}`

export const isMetric = (name: string): name is Metric => METRICS.some((metric) => metric === name)
