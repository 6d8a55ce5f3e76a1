import {
  isObject,
  type Json,
  type JsonObject,
  type Limits,
  type Manifest,
  PERSISTENCES,
} from '@amodal/sdk'
import {
  editorSchema,
  type Issues,
  type JsonFile,
  type Path,
  pathText,
  shaped,
  valueAt,
  warnUnknown,
} from '@amodal/sdk/files'
import { z } from 'zod'

const count = z.int().positive()
const amount = z.number().positive()
const atLimit = z.enum(['finish', 'ask'])

const limits = z.object({
  maxTurns: count.exactOptional(),
  maxToolRounds: count.exactOptional(),
  timeoutSeconds: amount.exactOptional(),
  maxToolCalls: count.exactOptional(),
  maxSessionToolCalls: count.exactOptional(),
  maxRunTokens: count.exactOptional(),
  maxSessionTokens: count.exactOptional(),
  maxRunCost: amount.exactOptional(),
  maxSessionCost: amount.exactOptional(),
  onMaxTurns: atLimit.exactOptional(),
  onLimit: atLimit.exactOptional(),
  maxHistory: z.int().min(0).exactOptional(),
  maxTokens: count.exactOptional(),
  temperature: z.number().min(0).exactOptional(),
  stalenessTimeout: amount.exactOptional(),
})

const NAMES = Object.keys(limits.shape)
/** `max_turns` for `maxTurns`, and names that the format had before. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    NAMES.map((name) => [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name]),
  ),
  token_budget: 'maxSessionTokens',
  tokenBudget: 'maxSessionTokens',
}

/** Names of limits that may stand at the top of the manifest, too. */
export const TOP_LIMITS: readonly string[] = [...NAMES, ...Object.keys(SPELLINGS)]

/**
 * Reads `limits`, in either spelling, and limits at the top of the manifest. With `"strict": true`
 * an agent has to say how many rounds of tools a message may take.
 */
export function readLimits(json: JsonFile<JsonObject>, issues: Issues): Limits | undefined {
  warnUnknown(json, ['limits'], [...NAMES, ...Object.keys(SPELLINGS)], issues)
  const written = valueAt(json.value, ['limits'])
  const places = new Map<string, Path>()
  const before = issues.errors
  const inside = (isObject(written) ? Object.keys(written) : []).map((name): Path => [
    'limits',
    name,
  ])
  const above = Object.keys(json.value)
    .filter((name) => TOP_LIMITS.includes(name))
    .map((name): Path => [name])
  for (const path of [...inside, ...above]) {
    const name = String(path.at(-1))
    const known = SPELLINGS[name] ?? name
    const other = places.get(known)
    if (other === undefined) places.set(known, path)
    else
      issues.error(
        'BAD_REPO',
        `\`${pathText(path)}\` and \`${pathText(other)}\` are the same limit`,
        { file: json.file, line: json.lineOf(path), fix: 'keep one of them' },
      )
  }
  // What it is instead of an object is told with the rest of the manifest.
  const plain = Object.fromEntries(
    [...places].map(([known, path]) => [known, valueAt(json.value, path) ?? null]),
  )
  const asWritten: JsonFile['lineOf'] = ([, name, ...rest]) =>
    json.lineOf([...(places.get(String(name)) ?? ['limits']), ...rest])
  const read = shaped(
    limits,
    { file: json.file, value: { limits: plain }, lineOf: asWritten },
    ['limits'],
    issues,
  )
  if (json.value['strict'] === true && read && read.maxToolRounds === undefined)
    issues.error('BAD_REPO', 'an agent that is `strict` needs `limits.max_tool_rounds`', {
      file: json.file,
      line: json.lineOf(['strict']),
      fix: 'write how many rounds of tools a message may take, as in "limits": { "max_tool_rounds": 5 }',
    })
  if (!read || issues.errors > before) return undefined
  const { maxToolRounds, stalenessTimeout, ...rest } = read
  // After the last round the model answers.
  const turns = Math.min(rest.maxTurns ?? Infinity, (maxToolRounds ?? Infinity) + 1)
  return {
    ...rest,
    ...(turns < Infinity && { maxTurns: turns }),
    ...(stalenessTimeout !== undefined && { stalenessSeconds: stalenessTimeout }),
  }
}

const modes = z.record(z.string().min(1), z.enum(PERSISTENCES))
const tools = z.looseObject({
  resultPersistence: modes.exactOptional(),
  result_persistence: modes.exactOptional(),
  private: z.array(z.string().min(1)).exactOptional(),
})

/** What `tools` says of results. */
export function readResults(
  json: JsonFile<JsonObject>,
  issues: Issues,
): Pick<Manifest, 'resultPersistence' | 'privateTools'> | undefined {
  if (!isObject(json.value['tools'])) return {}
  const read = shaped(tools, json, ['tools'], issues)
  if (!read) return undefined
  const persistence = { ...read.result_persistence, ...read.resultPersistence }
  return {
    ...(Object.keys(persistence).length > 0 && { resultPersistence: persistence }),
    ...(read.private && { privateTools: read.private }),
  }
}

/** The schema of `limits` for editors, in each spelling. */
export function limitsSchema(): JsonObject {
  const schema = editorSchema(limits, { title: 'What a run and a session may use' })
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const spellings: Record<string, Json> = {}
  for (const [name, field] of Object.entries(SPELLINGS)) spellings[name] = properties[field] ?? {}
  return { ...schema, properties: { ...properties, ...spellings } }
}
