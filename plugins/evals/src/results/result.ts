import type { ModelConfig, TenantId } from '@amodal/sdk'
import type { ObservedCall, ObservedTurn } from '../definition.ts'

/** One line of an eval file, and what came of it. */
export interface LineResult {
  readonly kind: 'check' | 'rubric'
  readonly label: string
  /** Of the eval file, from 1; 0 for what every case is held to. */
  readonly line: number
  readonly passed: boolean
  /** What was seen, or the judge's reason. */
  readonly reason: string
  /** Of a rubric: the line says `Should NOT`. */
  readonly negated?: boolean
  /** Votes that the line is met. */
  readonly votes?: number
}

/** `error`: the case could not be judged, so it neither passed nor failed. */
export type TrialStatus = 'passed' | 'failed' | 'error'

/** What one run of one case came to. */
export interface TrialResult {
  /** Its place in the plan of its run, from 0. */
  readonly index: number
  readonly suite: string
  readonly case: string
  readonly variant: string
  /** From 0; with `--runs 3` there are three of each case and variant. */
  readonly trial: number
  readonly status: TrialStatus
  readonly error?: { readonly code: string; readonly message: string }
  readonly lines: readonly LineResult[]
  readonly turns: readonly ObservedTurn[]
  readonly calls: readonly ObservedCall[]
  readonly tokens: { readonly input: number; readonly output: number }
  /** Dollars; left out where the price of a model is not known. */
  readonly cost?: number
  readonly judge?: {
    readonly model: string
    readonly tokens: number
    readonly cost?: number
    /** It is the model that was tested: no other one is configured. */
    readonly isSubject: boolean
  }
  readonly modelCalls: number
  readonly seconds: number
  /** ISO 8601. */
  readonly at: string
}

/** What a run compares: the agent with one model. */
export interface Variant {
  readonly name: string
  /** Left out: the agent's own model. */
  readonly model?: ModelConfig
}

/** What somebody asks to be run. */
export interface EvalRequest {
  /** Names of suites or files; left out: all. */
  readonly suites?: readonly string[]
  readonly tags?: readonly string[]
  /** Cases as `SUITE/CASE`; left out: all of the suites. */
  readonly cases?: readonly string[]
  readonly providers?: readonly string[]
  /** `provider/model`. */
  readonly models?: readonly string[]
  /** Of each case and variant. */
  readonly runs: number
  readonly concurrency: number
  /** Dollars after which no further case begins. */
  readonly budget?: number
  /** Tools that are called themselves; `*` fits any characters. */
  readonly real: readonly string[]
}

export interface RunHeader {
  readonly id: string
  /** ISO 8601. */
  readonly startedAt: string
  readonly request: EvalRequest
  readonly suites: readonly { readonly name: string; readonly hash: string }[]
  readonly variants: readonly Variant[]
  /** Trials that it has when it is complete. */
  readonly trials: number
  /** Hash of the agent's files. */
  readonly bundle: string
  /** Of the folder's git repository, where it is one. */
  readonly commit?: string
}

/**
 * `open`: it works, or was cut off and can be resumed; `budget`: it stopped at its budget;
 * `failed`: it could not go on.
 */
export type RunStatus = 'open' | 'done' | 'budget' | 'cancelled' | 'failed'

/** Why a run could not go on. */
export interface RunError {
  readonly code: string
  readonly message: string
}

/** A run with what is there of its results, in the order of its plan. */
export interface EvalRun extends RunHeader {
  readonly status: RunStatus
  readonly error?: RunError
  readonly results: readonly TrialResult[]
}

/** Where runs are stored. */
export interface RunStore {
  begin(header: RunHeader): Promise<void>
  add(run: string, result: TrialResult): Promise<void>
  /** Of a run that is open. */
  end(run: string, status: RunStatus, error?: RunError): Promise<void>
  /** Has a run that ended go on, with what its header says now. */
  reopen(header: RunHeader): Promise<void>
  find(run: string): Promise<EvalRun | undefined>
  /** As it was set, whatever results there are. */
  statusOf(run: string): Promise<RunStatus | undefined>
  /** The newest first, with what their summaries need of results. */
  list(limit: number): Promise<readonly EvalRun[]>
  /** A judge's reply to the same question. */
  judgement(key: string): Promise<string | undefined>
  addJudgement(key: string, reply: string): Promise<void>
  /** Tenants of trials, where they outlive a process that did not empty them. */
  readonly tenants?: TrialTenants
}

/** The tenants of trials that have not been emptied yet. */
export interface TrialTenants {
  add(tenant: TenantId): Promise<void>
  remove(tenant: TenantId): Promise<void>
  all(): Promise<readonly TenantId[]>
}
