import { isList, isObject, type Json, type JsonObject, type RunContext } from '@amodal/sdk'

/** The session state of a sub-agent. */
export interface Child {
  readonly agent: string
  /** Levels of sub-agents from here down, itself included. */
  readonly left: number
  readonly maxToolCalls: number
  /** Names of its tools; all of its parent's when omitted. */
  readonly tools?: readonly string[]
  /** The names above it, the first one first. */
  readonly chain: readonly string[]
}

const KEY = 'subagents'

/** The parent's session state, with the child's description in place of the parent's. */
export const stateWith = (parent: JsonObject, child: Child): JsonObject => ({
  ...parent,
  [KEY]: { ...child },
})

/** The sub-agent that a run belongs to, if any. */
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
