import {
  isList,
  isObject,
  type BundleFile,
  type Json,
  type JsonObject,
  type AgentBundle,
} from '@amodal/sdk'
import { type Issues, type JsonFile, readJsonObject, refuseUnknown } from '@amodal/sdk/files'
import type { Definition } from '../definition.ts'
import { FIELDS, LIMITS } from '../fields.ts'
import { NO_GRANTS, type AgentGrants } from './grants.ts'

/** Fields that `agent.json` shares with the fields of an `AGENT.md`. */
const SHARED = [
  'description',
  'timeout',
  'maxDepth',
  'maxToolCalls',
  'targetOutputMin',
  'targetOutputMax',
  'modelTier',
] as const

const LISTS = ['tools', 'skills', 'connections', 'mcp', 'subagents'] as const
const KNOWN = ['$schema', 'name', 'stores', ...LISTS, ...SHARED]

/** What an `agent.json` says. */
export interface AgentJson {
  readonly fields: Partial<Definition>
  readonly grants: AgentGrants
}

/** The `agent.json` beside an `AGENT.md`. */
export const agentJsonBeside = (
  { files }: Pick<AgentBundle, 'files'>,
  agentFile: string,
): BundleFile | undefined => {
  const path = agentFile.replace(/[^/]+$/, 'agent.json')
  return files.find((file) => file.path === path)
}

/**
 * Reads an `agent.json`: what the agent may use at most, and its limits.
 *
 * @returns `undefined` where a part of it cannot be used, which would allow more than was written
 */
export function readAgentJson(file: BundleFile, issues: Issues): AgentJson | undefined {
  const json = readJsonObject(file, issues)
  return json && readAgentFields(json, issues)
}

/** Reads the fields of an agent, in JSON or as its code has exported them. */
export function readAgentFields(json: JsonFile<JsonObject>, issues: Issues): AgentJson | undefined {
  const before = issues.errors
  refuseUnknown(json, [], KNOWN, issues)
  const lists = Object.fromEntries(LISTS.map((field) => [field, namesIn(json, field, issues)]))
  const { tools = [], skills = [], connections = [], mcp = [], subagents = [] } = lists
  const stores = storesIn(json, issues)
  const fields = fieldsIn(json, issues)
  if (issues.errors > before) return undefined
  return {
    fields,
    grants: {
      ...NO_GRANTS,
      tools,
      skills,
      connections: [...connections, ...mcp],
      subagents,
      stores,
    },
  }
}

function namesIn(json: JsonFile<JsonObject>, field: string, issues: Issues): readonly string[] {
  const value = json.value[field] ?? null
  if (value === null) return []
  const names = isList(value) ? value : [value]
  return names.flatMap((name, index) => {
    if (isList(value) && typeof name === 'string' && name !== '') return [name]
    problem(json, isList(value) ? [field, index] : [field], issues, 'a list of names')
    return []
  })
}

function storesIn(json: JsonFile<JsonObject>, issues: Issues): AgentGrants['stores'] {
  const value = json.value['stores'] ?? null
  if (value === null) return {}
  if (!isObject(value)) {
    problem(json, ['stores'], issues, 'an object such as { "beds": "read" }')
    return {}
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([store, mode]) => {
      if (mode === 'read' || mode === 'rw') return [[store, mode]]
      problem(json, ['stores', store], issues, '"read" or "rw"')
      return []
    }),
  )
}

function fieldsIn(json: JsonFile<JsonObject>, issues: Issues): Partial<Definition> {
  const { name } = json.value
  const given: Record<string, unknown> = {}
  if (name !== undefined && name !== null) {
    if (typeof name === 'string' && name.trim() !== '') given['displayName'] = name.trim()
    else problem(json, ['name'], issues, 'a text')
  }
  for (const field of SHARED) {
    const value: Json = json.value[field] ?? null
    if (value === null) continue
    const read = FIELDS[field]?.safeParse(value)
    if (read?.success === true) given[field] = read.data
    else problem(json, [field], issues, LIMITS[field] ?? 'another value')
  }
  return given // each value fits its schema
}

function problem(
  json: JsonFile<JsonObject>,
  at: readonly (string | number)[],
  issues: Issues,
  wanted: string,
): void {
  issues.error('BAD_REPO', `\`${at.join('.')}\` must be ${wanted}`, {
    file: json.file,
    line: json.lineOf(at),
    fix: 'correct the value',
  })
}
