import type { AgentBundle, ToolDefinition } from '@amodal/sdk'
import { storeTools } from '@amodal/sdk/stores'
import { ASK, OWN } from './session-texts.ts'

/** Stores a note with its origin. */
const REMEMBER = 'remember'

/**
 * Whether a tool changes only the agent's own data: stores and notes. Untrusted content in it is
 * untrusted again when it is read.
 */
export function isInternal(
  { name, file }: ToolDefinition,
  { stores }: AgentBundle,
  more: readonly string[],
): boolean {
  return (
    name === REMEMBER ||
    OWN.has(name) ||
    name === ASK ||
    more.includes(name) ||
    // a tool of another file may have the name
    stores.some(
      (store) =>
        (file === undefined || file === store.file) &&
        Object.values(storeTools(store.name)).includes(name),
    )
  )
}
