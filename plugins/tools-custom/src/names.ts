import {
  messageOf,
  Tools,
  trySync,
  type AgentBundle,
  type BundleIssue,
  type Generation,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { didYouMean } from '@amodal/sdk/files'
import { agentsOf } from '@amodal/plugin-subagents/tokens'
import { customTools } from './custom-tool.ts'

const SOURCE = 'custom'

/** Names of the tools of other plugins. A source that fails is reported elsewhere. */
function othersIn(bundle: AgentBundle, generation: Generation): readonly string[] {
  const others = [...generation.registry(Tools)].filter(([key]) => key !== SOURCE)
  return others.flatMap(([, source]) => {
    const tools = trySync(() => source.tools(bundle), messageOf)
    return tools.ok ? tools.value.map(({ name }) => name) : []
  })
}

/** Names of tools and connections that nothing has. */
export function addUnknownNames(
  bundle: AgentBundle,
  generation: Generation,
  issues: BundleIssue[],
): void {
  const tools = customTools(bundle)
  if (tools.length === 0) return
  const known = [...othersIn(bundle, generation), ...tools.map(({ name }) => name)]
  for (const { file, uses } of tools)
    for (const used of uses) addUnknown(used, known, 'tool', file, issues)
  const agents = agentsOf(bundle).map(({ name }) => name)
  for (const { file, subagents } of tools)
    for (const used of subagents) addUnknown(used, agents, 'agent', file, issues)
  const connections = connectionsOf(bundle).map(({ name }) => name)
  for (const tool of tools) {
    for (const { connection } of tool.kind === 'handler' ? [] : tool.steps)
      addUnknown(connection, connections, 'connection', tool.file, issues)
  }
}

function addUnknown(
  name: string,
  known: readonly string[],
  kind: 'tool' | 'connection' | 'agent',
  file: string,
  issues: BundleIssue[],
): void {
  if (known.includes(name)) return
  const meant = didYouMean(name, known)
  issues.push({
    severity: kind === 'agent' ? 'error' : 'warning',
    code: 'NOT_FOUND',
    message: `there is no ${kind} "${name}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`,
    file,
    line: 1,
    fix: meant === undefined ? 'correct the name, or remove it' : `write "${meant}"`,
  })
}
