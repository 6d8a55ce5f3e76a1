import { isList, isObject, type Json, type JsonObject, type RunContext } from '@amodal/sdk'

/** What a sub-agent's session keeps of what it is. */
export interface Child {
  readonly agent: string
  /** Levels of sub-agents from here down, itself included. */
  readonly left: number
  readonly maxToolCalls: number
  /** Names of its tools; left out: all of its parent's. */
  readonly tools?: readonly string[]
  /** The names above it, the first one first. */
  readonly chain: readonly string[]
}

const KEY = 'subagents'

/** As session state: the parent's, with what the child is in place of what the parent is. */
export const stateWith = (parent: JsonObject, child: Child): JsonObject => ({
  ...parent,
  [KEY]: { ...child },
})

/** What a run is, where it is a sub-agent's. */
export function childOf({
  delegated,
  sessionState,
}: Pick<RunContext, 'delegated' | 'sessionState'>): Child | undefined {
  const kept = delegated ? sessionState[KEY] : undefined
  if (!isObject(kept)) return undefined
  const { agent, left, maxToolCalls, tools, chain } = kept
  if (typeof agent !== 'string' || typeof left !== 'number' || typeof maxToolCalls !== 'number')
    return undefined
  return {
    agent,
    left,
    maxToolCalls,
    chain: texts(chain),
    ...(tools === undefined ? {} : { tools: texts(tools) }),
  }
}

const texts = (value: Json | undefined): readonly string[] =>
  isList(value) ? value.filter((one) => typeof one === 'string') : []
