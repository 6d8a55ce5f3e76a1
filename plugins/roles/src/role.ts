import type { AgentBundle, BundleFile, Json } from '@amodal/sdk'
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
 * A file of `roles/`, checked: what somebody with this role may know of and use. Names may hold
 * `*`.
 */
export interface Role {
  readonly name: string
  readonly tools: readonly string[]
  readonly skills: readonly string[]
  readonly connections: readonly string[]
}

/**
 * The roles of an agent. `given`: it has files of roles, in order or not, so that nobody may do
 * what no role says.
 */
export interface Roles {
  readonly given: boolean
  readonly roles: readonly Role[]
}

const PART = 'roles'
const FILE = /^roles\/([^/]+)\.json$/
/** What is meant as one, and is none. */
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
  constraints: z.record(z.string(), z.json()).default({}),
})

/** Roles that this bundle has, as this plugin has read them. */
export function rolesOf(bundle: AgentBundle): Roles {
  // made and checked below, and frozen since
  return (bundle.parts[PART] ?? { given: false, roles: [] }) as unknown as Roles
}

/**
 * Reads `roles/<name>.json`. A file that is not in order is no role: whoever has only that one may
 * do nothing.
 */
export function readRoles(bundle: AgentBundle): AgentBundle {
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
    parts: { ...bundle.parts, [PART]: JSON.parse(JSON.stringify({ given, roles })) as Json },
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
  // A limit that nobody keeps is none: the role would allow more than it says.
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
  if (json.value['automations'] !== undefined) {
    issues.warn(
      'BAD_REPO',
      '`automations` belongs to automations, no part of this release; nothing reads it',
      { file, line: json.lineOf(['automations']), fix: 'leave it for then, or remove it' },
    )
  }
  if (!read || issues.errors > before) return undefined
  const { tools, skills, connections } = read
  return { name, tools, skills, connections }
}
