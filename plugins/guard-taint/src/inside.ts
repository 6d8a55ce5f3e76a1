import type { AgentBundle, ToolDefinition } from '@amodal/sdk'
import { ASK, OWN } from './session-texts.ts'

/** Keeps a note with whose word it is. */
const REMEMBER = 'remember'

/**
 * Whether a tool changes only what is the agent's own: its stores and notes. What is kept there is
 * somebody else's again once it is read.
 */
export function staysInside(
  { name }: ToolDefinition,
  { stores }: AgentBundle,
  more: readonly string[],
): boolean {
  return (
    name === REMEMBER ||
    OWN.has(name) ||
    name === ASK ||
    more.includes(name) ||
    stores.some((store) => {
      const tool = `store_${store.name.replaceAll('-', '_')}`
      return name === tool || name === `${tool}_batch`
    })
  )
}
