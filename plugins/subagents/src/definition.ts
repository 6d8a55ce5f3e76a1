import type { AgentBundle, JsonObject } from '@amodal/sdk'
import type { AgentGrants } from './grants/grants.ts'

/**
 * `explore` where the file names none: tasks that are handed out are bounded work. `default` is the
 * agent's own model.
 */
export type ModelTier = 'explore' | 'simple' | 'default' | 'advanced'

/** A sub-agent as its file describes it. */
export interface Definition {
  readonly name: string
  readonly displayName: string
  readonly description: string
  readonly prompt: string
  /** The parent's tools when omitted. */
  readonly tools?: readonly string[]
  /** Levels of sub-agents from here down, itself included: 1 has none. */
  readonly maxDepth: number
  readonly maxToolCalls: number
  /**
   * Tokens and dollars of its whole work, its own sub-agents included. Left out: its share of what
   * its parent has left.
   */
  readonly maxTokens?: number
  /** Rounds of tools before its answer. */
  readonly maxToolRounds?: number
  readonly maxCost?: number
  /** Seconds. */
  readonly timeout: number
  /** Tokens of its answer. */
  readonly targetOutputMin: number
  readonly targetOutputMax: number
  readonly modelTier: ModelTier
  /** JSON Schema of the result that a run of it hands in. */
  readonly resultSchema?: JsonObject
  /** Type of the artifact that a run of it writes. */
  readonly artifactType?: string
  /** The most it may use, where its `agent.json` says so. */
  readonly grants?: AgentGrants
  /** `state` and `mutable` as its file has them, for the plugin `live-state`. */
  readonly state?: JsonObject
  /** Omitted for a builtin agent. */
  readonly file?: string
}

/** Levels of sub-agents below the agent that people talk to; more are refused. */
export const MOST_LEVELS = 3

/** The agent that is used for a task that names none. */
export const TASK = 'task'

const DEFAULTS = {
  maxDepth: 1,
  maxToolCalls: 10,
  timeout: 20,
  targetOutputMin: 200,
  targetOutputMax: 400,
  modelTier: 'explore',
} as const

/**
 * A definition with defaults for fields that its file omits; a file that overrides a builtin agent
 * inherits the omitted fields from it.
 */
export function complete(
  given: Partial<Definition> & Pick<Definition, 'name' | 'prompt'>,
): Definition {
  const { displayName = given.name } = given
  return { ...DEFAULTS, ...BUILTIN[given.name], displayName, description: displayName, ...given }
}

const BUILTIN: Readonly<Record<string, Partial<Definition>>> = { plan: { modelTier: 'advanced' } }

const own: readonly Definition[] = [
  complete({
    name: 'explore',
    description: 'Gathers data from connected systems and reports what is there.',
    prompt: `You gather data. Query the systems that the task names, several at once where they do not depend on each other.
Report what you found with its numbers, ids and times, what you looked for and did not find, and where each came from. Do not conclude more than the data says.`,
  }),
  complete({
    name: 'plan',
    description: 'Thinks a task through and proposes steps before anything is done.',
    prompt: `You plan. Find out what is missing to decide, then name the steps in their order: what each does, with which tool, what it depends on and how to see that it worked.
Name the risks and what cannot be undone. Change nothing yourself.`,
  }),
  complete({
    name: TASK,
    prompt:
      'Do the task you are given with the tools you have. Do not guess what a tool can tell you; say plainly what you could not find out.',
  }),
]

/** Those of the bundle's folder, and those that come with the product. */
export function definitionsOf({ parts }: AgentBundle): ReadonlyMap<string, Definition> {
  // written by `readAgents`
  const read = (parts['subagents'] ?? []) as unknown as readonly Definition[]
  return new Map([...own, ...read].map((definition) => [definition.name, definition]))
}

/** Models write `Compliance Checker` for `compliance-checker`. */
export function find(
  definitions: ReadonlyMap<string, Definition>,
  name: string,
): Definition | undefined {
  return (
    definitions.get(name) ??
    [...definitions.values()].find(
      (one) => plain(one.name) === plain(name) || plain(one.displayName) === plain(name),
    )
  )
}

const plain = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '-')
