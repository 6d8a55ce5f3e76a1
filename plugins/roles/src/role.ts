import { jsonValue } from '@amodal/sdk/data'
import type { AgentBundle, BundleFile, Json } from '@amodal/sdk'
import { EVERY_ROLE } from '@amodal/sdk/loop'
import {
  compare,
  Issues,
  readJsonObject,
  refuseUnknown,
  shaped,
  warnUnknown,
} from '@amodal/sdk/files'
import { z } from 'zod'

/**
 * A validated file of `roles/`: what a principal with this role may see and use. Names may contain
 * `*`.
 */
export interface Role {
  readonly name: string
  readonly tools: readonly string[]
  readonly skills: readonly string[]
  readonly connections: readonly string[]
  /** Whether they may look at automations, and whether they may run, pause and resume them. */
  readonly automations: { readonly view: boolean; readonly manage: boolean }
}

/**
 * The roles of an agent. `given`: it has role files, valid or not, so that whatever no role allows
 * is denied.
 */
export interface Roles {
  readonly given: boolean
  readonly roles: readonly Role[]
  /** The role of those who have none. */
  readonly defaultRole?: string
}

const PART = 'roles'
const FILE = /^roles\/([^/]+)\.json$/
/** Files that look like a role file, but are not read as one. */
const OTHER = /^roles\/.+\.(?:json|ya?ml|toml|[mc]?[jt]s)$/i
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/
const FIELDS = [
  '$schema',
  'name',
  'description',
  'tools',
  'skills',
  'connections',
  'automations',
  'constraints',
]

const names = z.union([z.literal('*').transform(() => ['*']), z.array(z.string().min(1))])
const shape = z.object({
  name: z.string().exactOptional(),
  tools: names,
  skills: names.default([]),
  connections: names.default(['*']),
  automations: z
    .object({ can_view: z.boolean().default(true), can_create: z.boolean().default(false) })
    .prefault({}),
  constraints: z.record(z.string(), jsonValue).default({}),
})

/** Roles that this bundle has, as this plugin has read them. */
export function rolesOf(bundle: AgentBundle): Roles {
  // made and checked below, and frozen since
  return (bundle.parts[PART] ?? { given: false, roles: [] }) as unknown as Roles
}

/**
 * Names of the roles that count. The person of the machine has every role, and is held to the
 * default role where one is set, so that somebody can see their agent as others do.
 */
export function countedRoles(
  held: readonly string[],
  defaultRole: string | undefined,
): readonly string[] {
  const isWithout = held.length === 0 || held.includes(EVERY_ROLE)
  return isWithout && defaultRole !== undefined ? [defaultRole] : held
}

/**
 * The roles that count for whoever holds these names: the default role where they hold none.
 *
 * @returns `undefined` where everything is allowed: the agent has no role files, or this is the
 *   person of the machine, and no default role is set
 */
export function rolesHeld(
  bundle: AgentBundle,
  held: readonly string[],
): readonly Role[] | undefined {
  const { given, roles, defaultRole } = rolesOf(bundle)
  const names = countedRoles(held, defaultRole)
  if (!given || names.includes(EVERY_ROLE)) return undefined
  return roles.filter(({ name }) => names.includes(name))
}

/**
 * Reads `roles/<name>.json`. An invalid file defines no role: a principal with only that role may
 * do nothing.
 */
export function readRoles(bundle: AgentBundle, defaultRole?: string): AgentBundle {
  const issues = new Issues()
  const files = bundle.files.filter(({ path }) => FILE.test(path))
  const others = bundle.files.filter(({ path }) => OTHER.test(path) && !FILE.test(path))
  for (const { path: file } of others)
    issues.error('BAD_REPO', 'this file is no role, and nobody is held to it', {
      file,
      line: 1,
      fix: 'write it as roles/<name>.json',
    })
  // One that could not even be read has an issue only.
  const given =
    files.length > 0 || others.length > 0 || bundle.issues.some(({ file }) => FILE.test(file ?? ''))
  if (!given) return bundle
  const roles = files
    .flatMap((file) => readRole(file, issues) ?? [])
    .sort((a, b) => compare(a.name, b.name))
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    parts: {
      ...bundle.parts,
      [PART]: JSON.parse(JSON.stringify({ given, roles, defaultRole })) as Json,
    },
  } // made of JSON
}

function readRole(source: BundleFile, issues: Issues): Role | undefined {
  const file = source.path
  const name = FILE.exec(file)?.[1] ?? ''
  const json = readJsonObject(source, issues)
  if (!json) return undefined
  const before = issues.errors
  refuseUnknown(json, [], FIELDS, issues)
  warnUnknown(json, ['automations'], ['can_view', 'can_create'], issues)
  const read = shaped(shape, json, [], issues)
  if (!NAME.test(name))
    issues.error('BAD_REPO', `"${name}" is no name of a role`, {
      file,
      line: 1,
      fix: 'use letters, digits, _, . and -',
    })
  if (read?.name !== undefined && read.name !== name)
    issues.error('BAD_REPO', `the file is of the role "${name}" and says "${read.name}"`, {
      file,
      line: json.lineOf(['name']),
      fix: `rename the file to ${read.name}.json, or write "${name}"`,
    })
  // A constraint that is not enforced would let the role allow more than it states.
  for (const constraint of Object.keys(read?.constraints ?? {})) {
    issues.error(
      'BAD_REPO',
      `\`constraints.${constraint}\` limits nothing: there are no constraints in this release`,
      {
        file,
        line: json.lineOf(['constraints', constraint]),
        fix: 'limit the role with `tools` and `connections`, and what its calls may do in access.json; then remove it',
      },
    )
  }
  if (!read || issues.errors > before) return undefined
  const { tools, skills, connections } = read
  const { can_view: view, can_create: manage } = read.automations
  return { name, tools, skills, connections, automations: { view, manage } }
}
