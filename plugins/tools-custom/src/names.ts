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
import { customTools, type CustomTool } from './custom-tool.ts'

const SOURCE = 'custom'

/**
 * Tools of other plugins by name, with the source that has them. A source that fails is reported
 * elsewhere.
 */
function othersIn(bundle: AgentBundle, generation: Generation): ReadonlyMap<string, string> {
  const others = [...generation.registry(Tools)].filter(([key]) => key !== SOURCE)
  return new Map(
    others.flatMap(([key, source]) => {
      const tools = trySync(() => source.tools(bundle), messageOf)
      return tools.ok ? tools.value.map(({ name }) => [name, key] as const) : []
    }),
  )
}

/** Tools whose names nobody else has: a name that is taken would take the whole agent down. */
export function ownNames(bundle: AgentBundle, generation: Generation): readonly CustomTool[] {
  const tools = customTools(bundle)
  if (tools.length === 0) return tools
  const others = othersIn(bundle, generation)
  return tools.filter(({ name }) => !others.has(name))
}

/** Names that are taken, and names of tools and connections that nothing has. */
export function addNameIssues(
  bundle: AgentBundle,
  generation: Generation,
  issues: BundleIssue[],
): void {
  const tools = customTools(bundle)
  if (tools.length === 0) return
  const others = othersIn(bundle, generation)
  const known = [...others.keys(), ...tools.map(({ name }) => name)]
  for (const { name, file, uses } of tools) {
    const owner = others.get(name)
    if (owner !== undefined) {
      issues.push({
        severity: 'error',
        code: 'DUPLICATE_NAME',
        message: `the tool "${name}" is there already, from "${owner}"; this one is left out`,
        file,
        line: 1,
        fix: 'give it another name',
      })
    }
    for (const used of uses) addUnknown(used, known, 'tool', file, issues)
  }
  const connections = connectionsOf(bundle).map(({ name }) => name)
  for (const tool of tools) {
    for (const { connection } of tool.kind === 'handler' ? [] : tool.steps)
      addUnknown(connection, connections, 'connection', tool.file, issues)
  }
}

function addUnknown(
  name: string,
  known: readonly string[],
  kind: 'tool' | 'connection',
  file: string,
  issues: BundleIssue[],
): void {
  if (known.includes(name)) return
  const meant = didYouMean(name, known)
  issues.push({
    severity: 'warning',
    code: 'NOT_FOUND',
    message: `there is no ${kind} "${name}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`,
    file,
    line: 1,
    fix: meant === undefined ? 'correct the name, or remove it' : `write "${meant}"`,
  })
}
