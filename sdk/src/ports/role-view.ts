import { slot, type Scope } from '@amodal/kernel'
import type { AgentBundle } from './bundle.ts'
import type { ToolList } from './tool.ts'

/**
 * The part of an agent that a caller with these roles may see and use. Without a provider: all of
 * it.
 */
export interface RoleView {
  /**
   * The agent's files without what they may not know of: the same object for the same roles, with a
   * hash of its own.
   */
  bundle(bundle: AgentBundle, roles: readonly string[]): AgentBundle
  /** The tools that they may know of, for a bundle that `bundle` has made. */
  tools(list: ToolList, bundle: AgentBundle): ToolList
  /**
   * Whether they may use a tool, by its name; for what a tool does in another way, such as over
   * HTTP.
   */
  allows(tool: string, bundle: AgentBundle): boolean
}
export const RoleView = slot.kernel<RoleView>('role-view')

/** The agent's files as a caller with these roles may see them. */
export const seenBy = (
  bundle: AgentBundle,
  roles: readonly string[],
  scope: Pick<Scope, 'find'>,
): AgentBundle => scope.find(RoleView)?.bundle(bundle, roles) ?? bundle
