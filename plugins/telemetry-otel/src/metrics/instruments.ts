import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api'
import { METRICS, NAMES, type UsageNames, type VersionedNames } from '../names.ts'

const INFERENCE_SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]
const RUN_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600]
const CALLS = [0, 1, 2, 4, 8, 16, 32, 64, 128]
const TOKENS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
]

/** Tokens of one model call; a part that is not known is left out. */
export type TokenCounts = Readonly<Partial<Record<keyof UsageNames, number>>>

/** The instruments that are written to while runs go on. */
export class Instruments {
  readonly inferenceDuration: Histogram
  readonly timeToFirstChunk: Histogram | undefined
  readonly agentDuration: Histogram | undefined
  readonly toolDuration: Histogram | undefined
  readonly inferenceCalls: Histogram | undefined
  readonly toolCalls: Histogram | undefined
  readonly runs: Counter
  readonly runsResumed: Counter
  readonly verdicts: Counter
  readonly cost: Counter
  readonly #usage: Readonly<Record<keyof UsageNames, Counter>> | undefined
  readonly #tokenUsage: Histogram | undefined

  /** Attribute that names the provider of a model. */
  readonly provider: string

  constructor(meter: Meter, { provider, metrics: names }: VersionedNames) {
    this.provider = provider
    const histogram = (name: string, unit: string, about: string, bounds: number[]): Histogram =>
      meter.createHistogram(name, {
        unit,
        description: about,
        advice: { explicitBucketBoundaries: bounds },
      })
    const optional = (
      name: string | undefined,
      unit: string,
      about: string,
      bounds: number[],
    ): Histogram | undefined =>
      name === undefined ? undefined : histogram(name, unit, about, bounds)
    const counter = (name: string, unit: string, description: string): Counter =>
      meter.createCounter(name, { unit, description })

    this.inferenceDuration = histogram(
      names.inferenceDuration,
      's',
      'Duration of model calls, each attempt by itself',
      INFERENCE_SECONDS,
    )
    this.timeToFirstChunk = optional(
      names.timeToFirstChunk,
      's',
      'Time until a model sent the first part of its reply',
      INFERENCE_SECONDS,
    )
    this.agentDuration = optional(
      names.agentDuration,
      's',
      'Duration of runs, without the time in which they wait for a person',
      RUN_SECONDS,
    )
    this.toolDuration = optional(names.toolDuration, 's', 'Duration of tool calls', RUN_SECONDS)
    this.inferenceCalls = optional(names.inferenceCalls, '{call}', 'Model calls of a run', CALLS)
    this.toolCalls = optional(names.toolCalls, '{call}', 'Tool calls of a run', CALLS)
    this.#usage = names.usage && {
      input: counter(names.usage.input, '{token}', 'Tokens sent, cached ones included'),
      output: counter(names.usage.output, '{token}', 'Tokens received'),
      cacheRead: counter(names.usage.cacheRead, '{token}', 'Tokens read from a cache'),
      cacheWrite: counter(names.usage.cacheWrite, '{token}', 'Tokens written to a cache'),
      reasoning: counter(names.usage.reasoning, '{token}', 'Tokens received as reasoning'),
    }
    this.#tokenUsage = optional(
      names.tokenUsage,
      '{token}',
      'Tokens of model calls by kind',
      TOKENS,
    )
    this.runs = counter(METRICS.runs, '{run}', 'Runs that ended, by reason')
    this.runsResumed = counter(METRICS.runsResumed, '{run}', 'Runs that were resumed here')
    this.verdicts = counter(METRICS.verdicts, '{call}', 'Verdicts of the guards on tool calls')
    this.cost = counter(METRICS.cost, '{dollar}', 'Cost of model calls whose price is known')
    // An increase from nothing to 1 is none for Prometheus, so that rare counters begin at 0.
    for (const rare of [this.runsResumed, this.cost]) rare.add(0)
  }

  countTokens(tokens: TokenCounts, attributes: Attributes): void {
    if (this.#usage)
      for (const kind of ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const) {
        const count = tokens[kind]
        if (count !== undefined) this.#usage[kind].add(count, attributes)
      }
    // the histogram of earlier versions knows these two kinds
    if (this.#tokenUsage)
      for (const kind of ['input', 'output'] as const) {
        const count = tokens[kind]
        if (count !== undefined)
          this.#tokenUsage.record(count, { ...attributes, [NAMES.tokenType]: kind })
      }
  }
}
