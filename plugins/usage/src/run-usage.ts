import type { JsonObject } from '@amodal/sdk'

/** Tokens of model calls; cache reads and writes are part of the input. */
export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** What the calls of one model, or of one tool, came to in one run. */
export interface CallSums extends Tokens {
  /** `provider/model`, or the name of the tool. */
  readonly name: string
  readonly calls: number
  readonly errors: number
  /** Billionths of a dollar, of the calls whose price was known; null where none was. */
  readonly cost: number | null
  /** Calls of a model whose price nobody knew. */
  readonly unpriced: number
  /** ms of each call that was measured. */
  readonly times: readonly number[]
}

/** What one run came to: a function of its entries in the journal. */
export interface RunUsage extends Tokens {
  readonly run: string
  readonly session: string
  readonly principal: string
  /** `main`, or the name of the sub-agent. */
  readonly agent: string
  readonly automation: string | null
  /** Profile of a background run. */
  readonly profile: string | null
  /** ms since the epoch, as `endedAt`. */
  readonly startedAt: number
  readonly endedAt: number
  /** From start to end without the time in which it waited for a person. */
  readonly ms: number
  readonly waitedMs: number
  readonly modelMs: number
  /** How it ended. */
  readonly reason: string
  /** Code of its error. */
  readonly error: string | null
  /** Of models. */
  readonly calls: number
  readonly callErrors: number
  readonly cost: number | null
  readonly unpriced: number
  readonly models: readonly CallSums[]
  readonly tools: readonly CallSums[]
  /** Number of the entry that ended it. */
  readonly seq: number
}

export interface StoredRun extends RunUsage {
  readonly tenant: string
}

/** What the journal of a run does not say. */
export interface RunPlace {
  readonly session: string
  readonly agent: string
  readonly profile: string | null
}

export const MAIN_AGENT = 'main'

const PROFILE = 'agent-runs'

/** The profile of a background run, in the state of its session. */
export function profileIn(state: JsonObject | undefined): string | null {
  const stored = state?.[PROFILE]
  const profile =
    typeof stored === 'object' && stored !== null && 'profile' in stored ? stored['profile'] : null
  return typeof profile === 'string' ? profile : null
}
