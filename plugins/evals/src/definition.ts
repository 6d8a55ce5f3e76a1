import type { AgentBundle, Json, JsonObject, StoreFilter } from '@amodal/sdk'

/** One fact that is checked without a model. `line` is where the file asks for it. */
export type Check = { readonly line: number } & CheckKind

export type CheckKind =
  | { readonly kind: 'contains'; readonly text: string; readonly negated: boolean }
  | { readonly kind: 'matches'; readonly pattern: string; readonly negated: boolean }
  /** The answer is JSON, alone or in one fenced block, and fits the schema. */
  | { readonly kind: 'json_schema'; readonly schema: JsonObject }
  /** Each tool was called, or with `negated`, none of them. `*` in a name fits any characters. */
  | { readonly kind: 'tools'; readonly tools: readonly string[]; readonly negated: boolean }
  | {
      readonly kind: 'tool_order'
      /**
       * `exact`: these calls and no others; `in_order`: these among others; `any_order`: the same
       * calls, however they are sorted, and no others.
       */
      readonly mode: 'exact' | 'in_order' | 'any_order'
      readonly tools: readonly string[]
    }
  /** Some call of the tool has arguments that fit the schema. */
  | { readonly kind: 'tool_args'; readonly tool: string; readonly schema: JsonObject }
  /** Calls that change something, made or tried. Without `most` there may be any number. */
  | { readonly kind: 'writes'; readonly least: number; readonly most?: number }
  /** A person was asked to approve a call of each of these tools; an empty list: of none. */
  | { readonly kind: 'approvals'; readonly tools: readonly string[] }
  | { readonly kind: 'at_most'; readonly measure: Measure; readonly limit: number }
  /** How the last turn ended, such as `model_stop`. */
  | { readonly kind: 'ends'; readonly reason: string }
  /**
   * Documents of a store after the last turn that meet the filters: as many as `count`, or at least
   * one where it is left out; each fits the schema.
   */
  | {
      readonly kind: 'store'
      readonly store: string
      readonly filters: readonly StoreFilter[]
      readonly count?: number
      readonly schema?: JsonObject
    }

/** Tokens of input and output, dollars, seconds, calls of tools, calls of the model. */
export type Measure = 'tokens' | 'cost' | 'seconds' | 'tool_calls' | 'model_calls'

/** What a model judges: one line of the file, as it stands there. */
export interface Rubric {
  readonly text: string
  /** The line says `Should NOT`. The judge reads the whole line, so nothing negates it again. */
  readonly negated: boolean
  /** The turn that it is about, from 0; left out: the case. */
  readonly turn?: number
  readonly line: number
}

/** What a stubbed call gives. */
export type StubOutcome =
  | { readonly kind: 'result'; readonly output: Json }
  | { readonly kind: 'error'; readonly message: string; readonly code?: string }

/** One answer of a stub. */
export interface StubAnswer {
  /** Arguments that the call has, among others; left out: whatever they are. */
  readonly match?: JsonObject
  readonly outcome: StubOutcome
  readonly delayMs: number
  /** Further calls that match are answered as well; otherwise it answers one. */
  readonly repeats: boolean
}

/**
 * What stands in for a tool. `answers` are tried in order, and one without `repeats` is used once;
 * a call that none fits fails the case. `real`: the tool itself is called.
 */
export type Stub =
  | { readonly kind: 'answers'; readonly answers: readonly StubAnswer[] }
  | { readonly kind: 'real' }

/** One message of a case, and what it is checked for when its turn has ended. */
export interface CaseTurn {
  readonly input: string
  /** Answers to questions of this turn, in their order; approvals are granted without one. */
  readonly answers: readonly JsonObject[]
  readonly checks: readonly Check[]
}

export interface Setup {
  /** Background that goes with the first message. */
  readonly context?: string
  /** Documents by their store. */
  readonly stores: Readonly<Record<string, readonly JsonObject[]>>
  /** Values of live state that the session begins with. */
  readonly state?: JsonObject
  /** ISO 8601: the time that the agent is told. */
  readonly clock?: string
  /** What the caller may do; left out: everything. */
  readonly roles?: readonly string[]
}

/** One case, as a Markdown file has one and a YAML file several. */
export interface EvalCase {
  /** Of its suite: the name it has, or `case-1`, `case-2`, … */
  readonly name: string
  readonly turns: readonly CaseTurn[]
  readonly setup: Setup
  readonly stubs: Readonly<Record<string, Stub>>
  /** Of the whole case, checked after the last turn. */
  readonly checks: readonly Check[]
  readonly rubric: readonly Rubric[]
  /** Left out: approvals that are asked for are granted. */
  readonly approvals: 'grant' | 'refuse'
  readonly tags: readonly string[]
  readonly line: number
}

/** One file of `evals/`. */
export interface EvalSuite {
  /** Its path below `evals/`, without the ending. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly file: string
  readonly cases: readonly EvalCase[]
  /** Hash of the file and its datasets: results of another one are not compared case by case. */
  readonly hash: string
}

/** One call of a tool in a case. */
export interface ObservedCall {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  /** The names of the sub-agents that made it, outermost first; empty: the agent itself. */
  readonly agents: readonly string[]
  readonly status: 'success' | 'error' | 'denied'
  readonly output?: Json
  readonly error?: string
  /** It changes something outside or in a store. */
  readonly writes: boolean
}

export interface ObservedTurn {
  readonly input: string
  readonly text: string
  readonly reason: string
  readonly error?: string
}

/** What a case came to: all that checks and the judge know. */
export interface Observation {
  readonly turns: readonly ObservedTurn[]
  readonly calls: readonly ObservedCall[]
  /** Names of the tools whose calls a person was asked to approve, in order. */
  readonly approvals: readonly string[]
  readonly tokens: { readonly input: number; readonly output: number }
  /** Dollars; left out where the price of a model is not known. */
  readonly cost?: number
  readonly seconds: number
  readonly modelCalls: number
  /** Documents that `store` checks asked for, in the order of these checks. */
  readonly stores: readonly (readonly JsonObject[])[]
}

/** Under what `AgentBundle.parts` has them. */
export const PART = 'evals'

/** The suites of the agent's files. */
export const suitesOf = ({ parts }: AgentBundle): readonly EvalSuite[] =>
  // Written by `readEvals` alone, which has checked it.
  (parts[PART] ?? []) as unknown as readonly EvalSuite[]
