import type { AgentBundle, ToolDefinition } from '@amodal/sdk'
import { ASK, OWN } from './session-texts.ts'

/** Stores a note with its origin. */
const REMEMBER = 'remember'

/**
 * Whether a tool changes only the agent's own data: stores and notes. Untrusted content in it is
 * untrusted again when it is read.
 */
export function isInternal(
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
