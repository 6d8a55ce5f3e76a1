import {
  isList,
  isObject,
  PERSISTENCES,
  type AgentBundle,
  type BundleIssue,
  type Json,
  type Persistence,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { Issues, manifestFile, pathText, placeOf, shaped } from '@amodal/sdk/files'
import { statePropertiesOf } from '@amodal/plugin-live-state/tokens'
import { z } from 'zod'
import { TOOL_NAME } from '../publish/project.ts'
import { parseConstraint } from '../versions.ts'

/** The field of amodal.json, and the name under which `AgentBundle.parts` has its entries. */
const FIELD = 'orgTools'
const MOST_ENTRIES = 100

/** A tool of the organization that conversations with this agent may use. */
export interface OrgToolEntry {
  readonly tool: string
  /** A version constraint; `*` is any. */
  readonly version: string
  /** Follows the description of the tool. */
  readonly instruction?: string
  readonly resultPersistence: Persistence
  readonly confirm: boolean | 'review'
  readonly readOnly: boolean
  /** Values of the live state; the tool is there where each property has one of them. */
  readonly when: Readonly<Record<string, readonly Json[]>>
}

const values = z.union([z.array(jsonValue).min(1), jsonValue.transform((value) => [value])])
const entry = z.strictObject({
  tool: z.string().refine((name) => TOOL_NAME.test(name), {
    error: 'is no name of a tool',
    params: { fix: 'use small letters, digits and _, with a letter first: check_order' },
  }),
  version: z.string().default('*'),
  instruction: z.string().min(1).max(4_000).exactOptional(),
  resultPersistence: z.enum(PERSISTENCES).default('persisted-preferred'),
  confirm: z.union([z.boolean(), z.literal('review')]).default(false),
  readOnly: z.boolean().default(false),
  when: z.record(z.string(), values).default({}),
})
const shape = z.looseObject({ [FIELD]: z.array(jsonValue).max(MOST_ENTRIES) })

/**
 * Reads `orgTools` of amodal.json; every problem is named with its line, and the other entries
 * count.
 *
 * @returns the bundle with its entries, or `undefined` where the field is missing
 */
export async function readOrgTools(bundle: AgentBundle): Promise<AgentBundle | undefined> {
  if ((bundle.manifest.raw['orgTools'] ?? null) === null) return undefined
  const issues = new Issues()
  const json = await manifestFile(bundle)
  const list = shaped(shape, json, [], issues)?.[FIELD] ?? []
  const entries: OrgToolEntry[] = []
  for (const index of list.keys()) {
    const at = [FIELD, index]
    const read = shaped(entry, json, at, issues)
    if (!read) continue
    const constraint = parseConstraint(read.version)
    if (!constraint.ok)
      issues.error('BAD_REPO', `\`${pathText([...at, 'version'])}\`: ${constraint.error.message}`, {
        ...placeOf(json, [...at, 'version']),
        fix: 'leave it out for any version',
      })
    else if (entries.some(({ tool }) => tool === read.tool))
      issues.error('BAD_REPO', `\`orgTools\` has "${read.tool}" already`, {
        ...placeOf(json, [...at, 'tool']),
        fix: 'remove one of the two',
      })
    else entries.push(read)
  }
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    parts: { ...bundle.parts, [FIELD]: entries.map((read) => ({ ...read })) },
  }
}

/** What `readOrgTools` has read. */
export function orgToolsOf(bundle: AgentBundle): readonly OrgToolEntry[] {
  const part = (bundle.unrestricted ?? bundle).parts[FIELD]
  return (part ?? []) as unknown as readonly OrgToolEntry[] // written by `readOrgTools`
}

/** Adds an issue for each property of a `when` that the state of the agent does not have. */
export async function checkWhen(bundle: AgentBundle, issues: BundleIssue[]): Promise<void> {
  const entries = orgToolsOf(bundle)
  const known = statePropertiesOf(bundle) ?? []
  const unknown = entries.flatMap(({ tool, when }) =>
    Object.keys(when).flatMap((name) => (known.includes(name) ? [] : [{ tool, name }])),
  )
  if (unknown.length === 0) return
  const json = await manifestFile(bundle)
  const written = isObject(json.value) ? json.value[FIELD] : undefined
  for (const { tool, name } of unknown) {
    const index = (isList(written) ? written : []).findIndex(
      (one) => isObject(one) && one['tool'] === tool,
    )
    issues.push({
      severity: 'error',
      code: 'BAD_REPO',
      message: `\`${pathText([FIELD, index, 'when'])}\`: the agent has no state "${name}"`,
      ...placeOf(json, [FIELD, index, 'when', name]),
      fix:
        known.length > 0
          ? `use one of: ${known.join(', ')}`
          : 'declare it in `state` of amodal.json',
    })
  }
}
