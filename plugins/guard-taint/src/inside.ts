import type { AgentBundle, ToolDefinition } from '@amodal/sdk'

/** Whether a tool changes only what is the agent's own: its stores. What is kept there is somebody else's again once it is read. */
export function staysInside({ name }: ToolDefinition, { stores }: AgentBundle, more: readonly string[]): boolean {
  return more.includes(name) || stores.some((store) => {
    const tool = `store_${store.name.replaceAll('-', '_')}`
    return name === tool || name === `${tool}_batch`
  })
}
