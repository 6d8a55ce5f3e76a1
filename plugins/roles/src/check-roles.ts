import { knownTools } from '@amodal/plugin-loop/tokens'
import { ToolAliases, type AgentBundle, type BundleIssue, type Generation } from '@amodal/sdk'
import { brokenConnectionsOf, connectionsOf } from '@amodal/sdk/connections'
import { jsonFileIn, unknownReference, type JsonFile } from '@amodal/sdk/files'
import { allows } from './grants.ts'
import { rolesOf, type Role } from './role.ts'

export interface RoleSettings {
  readonly defaultRole: string | null | undefined
  /** Tools that every role may use. */
  readonly always: readonly string[]
}

/** What roles may name. */
interface Known {
  readonly tools: readonly string[]
  readonly skills: readonly string[]
  readonly connections: readonly string[]
  /** Begin the names of tools that are known only once a server is asked. */
  readonly prefixes: readonly string[]
}

/**
 * Adds what is wrong with roles beside the other files: names that nothing has, and people whom
 * they leave without tools.
 */
export function addRoleIssues(
  bundle: AgentBundle,
  generation: Generation,
  settings: RoleSettings,
  issues: BundleIssue[],
): void {
  const { given, roles } = rolesOf(bundle)
  if (!given) return
  const known = knownIn(bundle, generation)
  for (const role of roles) issues.push(...roleIssues(role, known, bundle))
  const found = defaultIssue(roles, settings)
  if (found) issues.push(found)
}

function knownIn(bundle: AgentBundle, generation: Generation): Known {
  const connections = [...connectionsOf(bundle), ...brokenConnectionsOf(bundle)]
  const aliases = [...generation.registry(ToolAliases).values()].flatMap((make) =>
    Object.keys(make(bundle)),
  )
  return {
    tools: [...knownTools(generation, bundle).map(({ name }) => name), ...aliases],
    skills: bundle.skills.map(({ name }) => name),
    connections: connections.map(({ name }) => name),
    prefixes: connections.map(({ name }) => `${name}__`),
  }
}

function roleIssues(role: Role, known: Known, bundle: AgentBundle): readonly BundleIssue[] {
  const file = `roles/${role.name}.json`
  const json = jsonFileIn(bundle.files, file)
  const named = (
    field: 'tools' | 'skills' | 'connections',
    noun: string,
    otherwise?: string,
  ): readonly BundleIssue[] =>
    role[field].flatMap((name, index) => {
      if (name.includes('*') || known.prefixes.some((prefix) => name.startsWith(prefix))) return []
      const reference = {
        name,
        message: `there is no ${noun} "${name}"`,
        file,
        line: lineOf(json, field, index),
      }
      return unknownReference(reference, known[field], otherwise) ?? []
    })
  return [
    // Clients bring tools with their messages: a name that is near to no other may be one of those.
    ...named('tools', 'tool'),
    ...named('skills', 'skill', 'correct the name, or remove it'),
    ...named('connections', 'connection', 'correct the name, or remove it'),
    ...withoutTools(role, known, file, json),
  ]
}

/** A role that allows no tool there is. One that lists none is meant like that. */
function withoutTools(
  { name, tools }: Role,
  known: Known,
  file: string,
  json: JsonFile | undefined,
): readonly BundleIssue[] {
  const isElsewhere = tools.some((pattern) =>
    known.prefixes.some((prefix) => pattern.startsWith(prefix)),
  )
  if (tools.length === 0 || isElsewhere || known.tools.some((tool) => allows(tools, tool)))
    return []
  return [
    {
      severity: 'warning',
      code: 'ROLE_WITHOUT_TOOLS',
      message: `the role "${name}" names no tool that there is: whoever has it can use none`,
      file,
      line: lineOf(json, 'tools'),
      fix: `name some of: ${known.tools.slice(0, MOST_NAMES).join(', ')}`,
    },
  ]
}

const MOST_NAMES = 12

const lineOf = (json: JsonFile | undefined, ...path: readonly (string | number)[]): number =>
  json?.lineOf(path) ?? 1

function defaultIssue(
  roles: readonly Role[],
  { defaultRole }: RoleSettings,
): BundleIssue | undefined {
  if (defaultRole === null) return undefined
  const names = roles.map(({ name }) => name)
  if (defaultRole !== undefined)
    return unknownReference(
      {
        name: defaultRole,
        message: `\`defaultRole\` of the plugin roles is "${defaultRole}", and there is no such role in order`,
        file: 'amodal.json',
      },
      names,
      `write roles/${defaultRole}.json, or name another role`,
    )
  return {
    severity: 'warning',
    code: 'ROLE_WITHOUT_TOOLS',
    message:
      'there are roles and no `defaultRole`: whoever comes with a key or a token without a role can use no tool',
    file: 'amodal.json',
    fix: `write "plugins": [["roles", { "defaultRole": "${names[0] ?? 'member'}" }]]; null says that this is meant`,
  }
}
