import { isObject, matchesWildcard, type AgentBundle, type JsonObject } from '@amodal/sdk'
import type { Conditional } from './agent-code.ts'
import { grantedStoreTool, STORE_VERBS, type StoreVerb } from '@amodal/sdk/stores'

/** The most that an agent of the second layout may use. It is stored as JSON. */
export type AgentGrants = {
  /** Names of tools; `memory` stands for those of the memory. */
  readonly tools: readonly string[]
  readonly skills: readonly string[]
  /** Connections and MCP servers. */
  readonly connections: readonly string[]
  readonly subagents: readonly string[]
  readonly stores: Readonly<Record<string, 'read' | 'rw'>>
  /** What it may use in runs for which a condition of its code is true. */
  readonly conditional?: readonly Conditional[]
  /** The file with the conditions. */
  readonly code?: string
}

export const NO_GRANTS: AgentGrants = {
  tools: [],
  skills: [],
  connections: [],
  subagents: [],
  stores: {},
}

const MAIN = 'subagents.main'

/** The part of a bundle in which the grants of its main agent stand. */
export const mainGrantsPart = (grants: AgentGrants): JsonObject => ({
  [MAIN]: JSON.parse(JSON.stringify(grants)) as JsonObject, // data of a JSON file
})

/** What the main agent may use; `undefined`: whatever there is. */
export function mainGrants({ parts }: AgentBundle): AgentGrants | undefined {
  const read = parts[MAIN]
  return isObject(read) ? (read as unknown as AgentGrants) : undefined // written above
}

/** Tools of a group that a list names as one. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  memory: ['remember', 'recall', 'forget'],
}
/** Names that are no tools, or only where an agent has much knowledge. */
export const TOOL_GROUPS: readonly string[] = [...Object.keys(GROUPS), 'load_knowledge']

/**
 * Names of the tools that a model may call under these grants, with `*` for any characters. What a
 * group, a connection or a store stands for is spelled out.
 */
export function grantedTools({
  tools,
  skills,
  connections,
  subagents,
  stores,
}: AgentGrants): readonly string[] {
  return [
    ...tools.flatMap((name) => GROUPS[name] ?? [name]),
    ...(skills.length > 0 ? ['activate_skill', 'read_skill_file'] : []),
    ...(connections.length > 0 ? ['request', 'describe_connection'] : []),
    ...connections.map((name) => `${name}__*`),
    ...(subagents.length > 0 ? [CALL_SUBAGENT] : []),
    ...Object.entries(stores).flatMap(([store, mode]) => storeToolNames(store, mode)),
  ]
}

export const CALL_SUBAGENT = 'call_subagent'

const READING: readonly StoreVerb[] = ['get', 'query', 'list']

/** Such as `store__beds__get`. */
const storeToolNames = (store: string, mode: 'read' | 'rw'): readonly string[] =>
  (mode === 'rw' ? STORE_VERBS : READING).map((verb) => grantedStoreTool(store, verb))

/** Whether a tool belongs to a store that agents are granted by name. */
export const isStoreTool = (name: string): boolean =>
  name.startsWith('store__') && STORE_VERBS.some((verb) => name.endsWith(`__${verb}`))

export const allows = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => matchesWildcard(pattern, name))
