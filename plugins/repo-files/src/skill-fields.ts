import {
  isList,
  isObject,
  type BundleFile,
  type Json,
  type JsonObject,
  type Skill,
} from '@amodal/sdk'
import { type Issues, tellUnread, unreadName } from '@amodal/sdk/files'
import { lineOfField } from './markdown.ts'

/**
 * Of the Agent Skills format (https://agentskills.io/specification), and `trigger`, which is ours.
 */
const KNOWN = [
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
  'trigger',
] as const
/** Characters. */
const MOST: Readonly<Record<string, number>> = { name: 64, description: 1_024, compatibility: 500 }
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/

export type SkillFields = Pick<Skill, 'license' | 'compatibility' | 'metadata' | 'allowedTools'>

/**
 * The fields of a skill's frontmatter beside its name and what it is for. `undefined`, with an
 * issue, where one is over its limit: the skill is left out then.
 *
 * @param folder the skill's own; left out for a flat file
 */
export function readSkillFields(
  source: BundleFile,
  fields: JsonObject,
  folder: string | undefined,
  issues: Issues,
): SkillFields | undefined {
  const before = issues.errors
  const file = source.path
  const place = (name: string, fix: string) => ({ file, line: lineOfField(source, name), fix })
  for (const name of Object.keys(fields).filter((one) => !KNOWN.some((known) => known === one))) {
    tellUnread(
      `\`${name}\` is not a known field`,
      unreadName(name, KNOWN),
      { file, line: lineOfField(source, name) },
      'put it below `metadata`, or remove it',
      issues,
    )
  }
  for (const [name, most] of Object.entries(MOST)) {
    const { length } = textIn(fields[name]) ?? ''
    if (length > most)
      issues.error(
        'BAD_REPO',
        `\`${name}\` has ${length} characters, more than the ${most} allowed, and the skill is left out`,
        place(name, `shorten it to ${most} characters`),
      )
  }
  if (issues.errors > before) return undefined

  // With a `trigger` it is written for this engine, where a name may be any.
  const name = fields['trigger'] === undefined ? textIn(fields['name']) : undefined
  if (name !== undefined && !NAME.test(name))
    issues.warn(
      'BAD_REPO',
      `"${name}" is no name of a skill that other engines take`,
      place('name', 'use small letters, digits and single hyphens, as in incident-response'),
    )
  else if (name !== undefined && folder !== undefined && name !== folder)
    issues.warn(
      'BAD_REPO',
      `the skill "${name}" stands in the folder "${folder}"`,
      place('name', 'give both the same name'),
    )

  const license = textIn(fields['license'])
  const compatibility = textIn(fields['compatibility'])
  const metadata = metadataIn(fields['metadata'])
  const allowedTools = toolsIn(fields['allowed-tools'])
  if (fields['metadata'] !== undefined && !metadata)
    issues.warn(
      'BAD_REPO',
      '`metadata` holds no names with texts, and is left out',
      place('metadata', 'write one `name: "text"` a line, indented'),
    )
  if (fields['allowed-tools'] !== undefined && !allowedTools)
    issues.warn(
      'BAD_REPO',
      '`allowed-tools` names no tools, and is left out',
      place('allowed-tools', 'write their names with spaces between'),
    )
  return {
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    ...(metadata && { metadata }),
    ...(allowedTools && { allowedTools }),
  }
}

const textIn = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

function metadataIn(value: Json | undefined): Readonly<Record<string, string>> | undefined {
  if (!isObject(value)) return undefined
  const entries = Object.entries(value)
  const plain = entries.flatMap(([name, one]) =>
    typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean'
      ? [[name, String(one)] as const]
      : [],
  )
  return plain.length === entries.length ? Object.fromEntries(plain) : undefined
}

/**
 * A text with spaces between, or a list; what stands in parentheses belongs to the name before it.
 */
function toolsIn(value: Json | undefined): readonly string[] | undefined {
  const names = isList(value)
    ? value.flatMap((one) => textIn(one) ?? [])
    : (textIn(value)?.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? [])
  return names.length === 0 || (isList(value) && names.length < value.length)
    ? undefined
    : [...new Set(names)]
}
