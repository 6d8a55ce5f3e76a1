import { deepFreeze, type AgentBundle } from '@amodal/sdk'
import { withConnections } from '@amodal/plugin-connections/tokens'
import { withoutInvalidRules } from '@amodal/plugin-guard-access/tokens'
import type { FileChange } from '@amodal/plugin-repo-files/tokens'
import { readRoles, rolesOf } from '@amodal/plugin-roles/tokens'
import { declaredTools, type DeclaredTool } from '@amodal/plugin-tools-custom/tokens'

/** The files of an agent, read by those who decide over rights, without anything being run. */
export interface Draft {
  readonly bundle: AgentBundle
  readonly tools: readonly DeclaredTool[]
}

/**
 * Reads the files of an agent with changes that nobody has accepted. Loading them as a start does
 * would run the code of tools and fetch API documents; a proposal must cause neither, so the
 * readers of connections, rules, roles and tools are called by themselves.
 *
 * @param bundle as it is in use
 * @param changes left out: the files as they are
 */
export async function draftOf(
  bundle: AgentBundle,
  changes: readonly FileChange[] = [],
): Promise<Draft> {
  const { connections: _, 'connections.broken': __, roles: ___, ...parts } = bundle.parts
  const changed = new Set(changes.map(({ path }) => path))
  const files = [
    ...bundle.files.filter(({ path }) => !changed.has(path)),
    ...changes.flatMap(({ after, path }) => (after === null ? [] : [{ path, text: after }])),
  ].sort((a, b) => (a.path < b.path ? -1 : 1))
  const bare = { ...bundle, files, parts, issues: [], references: [] }
  const connected = withoutInvalidRules(await withConnections(bare))
  const read = readRoles(connected, rolesOf(bundle).defaultRole)
  return { bundle: deepFreeze(read), tools: await declaredTools(read) }
}
