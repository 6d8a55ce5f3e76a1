import type {
  AgentBundle,
  AgentInstructions,
  JsonObject,
  KnowledgeDocument,
  ModelConfig,
  Skill,
} from '@amodal/sdk'
import type { Change } from '@amodal/plugin-evals/tokens'

/** Under what `AgentBundle.parts` has the experiments. */
export const PART = 'experiments'
/** The agent's files as they are, where no variant of this name is defined. */
export const BASE = 'base'

export const METRICS = ['feedback', 'errors', 'cost', 'latency'] as const
/** What an experiment measures; each is a mean over the runs of one principal. */
export type Metric = (typeof METRICS)[number]

/** What a variant has in place of the agent's own. */
export interface Variant {
  readonly name: string
  readonly description?: string
  readonly prompt?: AgentInstructions
  readonly skills: readonly Skill[]
  readonly knowledge: readonly KnowledgeDocument[]
  readonly model?: ModelConfig
  /** Fields of `amodal.json`; offline only. */
  readonly settings?: JsonObject
  /** Another commit of the agent's repository; offline only. */
  readonly commit?: string
  /** The same as changes of an agent folder: for offline comparisons, and to promote it. */
  readonly changes: readonly Change[]
}

/** A validated file of `experiments/`. */
export interface Experiment {
  readonly name: string
  readonly file: string
  readonly description: string
  /** In the order of the file; `base` comes first where the file defines none of that name. */
  readonly variants: readonly Variant[]
  /** The variant that the others are compared with. */
  readonly control: string
  /** Fraction of the principals who take part online; 0: none. */
  readonly share: number
  /** By variant; how participants are split. */
  readonly weights: Readonly<Record<string, number>>
  readonly metric: Metric
  /** Chance of a false verdict that is accepted over all looks together. */
  readonly alpha: number
  /** Principals of each variant below which there is no verdict. */
  readonly minPrincipals: number
  /** Suites for the offline comparison; empty: all of them. */
  readonly evals: readonly string[]
  readonly status: 'running' | 'stopped'
  /** The variant that was written into the agent's files. */
  readonly promoted?: string
  /** Of what was varied: figures of another version are not mixed with those of this one. */
  readonly version: string
}

/** The experiments of a bundle, as this plugin has read them. */
export const experimentsOf = ({ parts }: Pick<AgentBundle, 'parts'>): readonly Experiment[] =>
  (parts[PART] ?? []) as unknown as readonly Experiment[] // written by `readExperiments`

/** Whether sessions that begin now take part. */
export const isOnline = ({ share, status }: Pick<Experiment, 'share' | 'status'>): boolean =>
  share > 0 && status === 'running'

export const variantOf = ({ variants }: Experiment, name: string): Variant | undefined =>
  variants.find((variant) => variant.name === name)
