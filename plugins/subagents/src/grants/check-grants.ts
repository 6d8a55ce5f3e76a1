import type { AgentBundle, BundleFile, BundleIssue, Skill } from '@amodal/sdk'
import { brokenConnectionsOf, connectionsOf } from '@amodal/sdk/connections'
import { didYouMean, Issues, readJsonObject } from '@amodal/sdk/files'
import { definitionsOf } from '../definition.ts'
import { agentCodeBeside } from './agent-code.ts'
import { agentJsonBeside } from './agent-json.ts'
import { mostGrants } from './effective-grants.ts'
import { mainGrants, TOOL_GROUPS, type AgentGrants } from './grants.ts'

/** What names of a list may stand for, and what one is called in a message. */
interface Namespace {
  readonly kind: string
  readonly names: readonly string[]
}

/**
 * Reports names in `agent.json` files that nothing has: the agent would lack what it was written
 * for.
 *
 * @param tools the names of all tools
 */
export function checkGrants(
  bundle: AgentBundle,
  tools: readonly string[],
  issues: BundleIssue[],
): void {
  for (const { file, grants } of withGrants(bundle)) {
    const json = file.path.endsWith('.json') ? readJsonObject(file, new Issues()) : undefined
    const report = (field: string, name: string, at: number | string, space: Namespace): void => {
      const meant = didYouMean(name, space.names)
      issues.push({
        severity: 'error',
        code: 'NOT_FOUND',
        message: `there is no ${space.kind} "${name}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`,
        file: file.path,
        line: json?.lineOf([field, at]) ?? 1,
        fix: meant === undefined ? 'correct the name, or remove it' : `write "${meant}"`,
      })
    }
    for (const [field, names, space] of listsOf(bundle, grants, tools))
      for (const [index, name] of names.entries())
        if (!space.names.includes(name) && !isOfServer(field, name, grants))
          report(field, name, index, space)
    const stores = { kind: 'store', names: bundle.stores.map(({ name }) => name) }
    for (const name of Object.keys(grants.stores))
      if (!stores.names.includes(name)) report('stores', name, name, stores)
  }
}

function withGrants(
  bundle: AgentBundle,
): readonly { readonly file: BundleFile; readonly grants: AgentGrants }[] {
  const main = { file: bundle.instructions?.file, grants: mainGrants(bundle) }
  return [main, ...definitionsOf(bundle).values()].flatMap(({ file: agent, grants }) => {
    const file =
      agent === undefined
        ? undefined
        : (agentCodeBeside(bundle, agent) ?? agentJsonBeside(bundle, agent))
    return file && grants ? [{ file, grants: mostGrants(grants) }] : []
  })
}

function listsOf(
  bundle: AgentBundle,
  { tools: named, skills, connections, subagents }: AgentGrants,
  tools: readonly string[],
): readonly (readonly [string, readonly string[], Namespace])[] {
  const reachable = [...connectionsOf(bundle), ...brokenConnectionsOf(bundle)]
  return [
    ['tools', named, { kind: 'tool', names: [...tools, ...TOOL_GROUPS] }],
    ['skills', skills, { kind: 'skill', names: bundle.skills.flatMap(skillNames) }],
    ['connections', connections, { kind: 'connection', names: reachable.map(({ name }) => name) }],
    ['subagents', subagents, { kind: 'agent', names: [...definitionsOf(bundle).keys()] }],
  ]
}

/** Tools of a server are known once it has answered. */
const isOfServer = (field: string, name: string, { connections }: AgentGrants): boolean =>
  field === 'tools' && connections.some((server) => name.startsWith(`${server}__`))

/** A skill is named by its folder or by its title. */
export const skillNames = ({ name, file }: Pick<Skill, 'name' | 'file'>): readonly string[] => {
  const folder = /([^/]+)\/SKILL\.md$/i.exec(file)?.[1]
  return folder === undefined ? [name] : [name, folder]
}
