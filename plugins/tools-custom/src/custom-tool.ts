import type { AgentBundle, JsonObject, Persistence } from '@amodal/sdk'

/** What starts a tool in place of a model. */
export type Trigger =
  | {
      readonly kind: 'regex'
      /** Matched with the message of a person, in linear time. */
      readonly pattern: string
      readonly flags?: string
      /** The model reads message and result; otherwise the result is the answer. */
      readonly continueToLLM: boolean
    }
  | { readonly kind: 'schedule'; readonly cron: string }
  | { readonly kind: 'invoke' }

/** What is done to a result before the model sees it. */
export interface Shaping {
  /** Paths to keep, such as `status.health.status`; a list on the way is gone through. */
  readonly pick?: readonly string[]
  /** Path to new name at the top. */
  readonly rename?: Readonly<Record<string, string>>
  /** A text with `{{name}}` in place of the JSON. */
  readonly template?: string
}

/** One request of an http or chain tool; texts inside may have `{{placeholders}}`. */
export interface Step {
  readonly name: string
  readonly connection: string
  readonly endpoint: string
  readonly method: string
  readonly params?: JsonObject
  readonly data?: JsonObject[string]
  readonly headers?: Readonly<Record<string, string>>
  readonly shaping?: Shaping
}

interface Common {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly tier: 'allow' | 'confirm' | 'review'
  readonly hidden: boolean
  /** ms */
  readonly timeout: number
  readonly readOnly: boolean
  readonly keyed: boolean
  /** Tools that it may call, hidden ones among them. */
  readonly uses: readonly string[]
  /** Sub-agents that it may call. */
  readonly subagents: readonly string[]
  /** It calls nothing but what it names. */
  readonly closed?: true
  /** Who may call it where no other tool does; left out: the model, too. */
  readonly callers?: 'person' | 'nobody'
  /** What a person is asked before it runs. */
  readonly prompt?: string
  readonly internal: boolean
  readonly resultPersistence?: Persistence
  readonly private: boolean
  readonly taint?: 'ignore'
  /** It is a versioned tool: one output of it is shorter than that of others. */
  readonly version?: string
  readonly runningLabel?: string
  readonly completedLabel?: string
  readonly shaping?: Shaping
  readonly digest: string
  /** Where it is defined, relative to the agent's folder. */
  readonly file: string
}

export interface HandlerTool extends Common {
  readonly kind: 'handler'
  readonly language: Language
  /** How its code is written; left out: as a handler. */
  readonly form?: CodeForm
  /**
   * The folder that its paths count from, relative to the agent's folder, where it comes from a
   * package.
   */
  readonly root?: string
  /** The code, relative to the agent's folder or to `root`. */
  readonly entry: string
  /** Its own folder; a tool of a single file has none. */
  readonly folder?: string
  /** Code that all handlers may import: what begins with `_` in `tools/`. */
  readonly shared: readonly string[]
  /** Variables that it may read. */
  readonly env: readonly string[]
  /** Its calls are recorded, and a retry is given their results. */
  readonly execution?: 'durable'
  /** What starts it in place of a model. */
  readonly triggers?: readonly Trigger[]
  /** It may change the live state of the session. */
  readonly mutating: boolean
}

export interface StepsTool extends Common {
  readonly kind: 'http' | 'chain'
  readonly steps: readonly Step[]
}

export type Language = 'typescript' | 'python'

/**
 * `tool`: the code exports its definition with `handle(ctx)`; `guard`: it exports `createHook`;
 * `agent`: it exports fields of an agent, with conditions; `version`: it exports `run_tool`.
 */
export type CodeForm = 'handler' | 'tool' | 'guard' | 'agent' | 'version'

/** A tool of `tools/`, checked: pure data, and a part of the bundle. */
export type CustomTool = HandlerTool | StepsTool

export const PART = 'tools-custom'

/** Tools that this bundle has in its files. */
export function customTools(bundle: AgentBundle): readonly CustomTool[] {
  // made and checked by `readTools`, and frozen since
  return (bundle.parts[PART] ?? []) as unknown as readonly CustomTool[]
}
