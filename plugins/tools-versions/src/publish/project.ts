import {
  err,
  isObject,
  ok,
  trySync,
  messageOf,
  type Failure,
  type Json,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { isStorable, jsonValue, parseExact } from '@amodal/sdk/data'
import type { Contents } from '@amodal/plugin-parts/tokens'
import { problems } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { ToolProjectInvalid } from '../errors.ts'

export const PROJECT_FILE = 'tool.json'
/** As names of folders, and of tools that a model is shown. */
export const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/
export const VARIABLE_NAME = /^[A-Z_]{1,100}$/

const MOST_CHECKS = 50
const MOST_VARIABLES = 100

const schema = z
  .record(z.string(), jsonValue)
  .refine((value) => isStorable(value), 'has a character that cannot be stored')

const RequiredVariable = z.strictObject({
  name: z.string().regex(VARIABLE_NAME, 'must match [A-Z_]+'),
  secret: z.boolean().default(false),
  required: z.boolean().default(true),
})
export type RequiredVariable = z.output<typeof RequiredVariable>

const Check = z.strictObject({
  name: z.string().min(1).max(200),
  input: z.record(z.string(), jsonValue),
  mode: z
    .literal('conversation-simulation', 'must be "conversation-simulation": checks act on nothing')
    .default('conversation-simulation'),
  /** The output has at least this: fields that are not named may be there as well. */
  expect: jsonValue.optional(),
})
export type ToolCheck = z.output<typeof Check>

const Project = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().regex(TOOL_NAME, 'must be small letters, digits and _, with a letter first'),
  description: z.string().max(4_000).default(''),
  language: z.enum(['typescript', 'python']),
  entry: z.string().min(1).max(400).optional(),
  input: schema.optional(),
  output: schema.optional(),
  env: z.array(RequiredVariable).max(MOST_VARIABLES).default([]),
  checks: z.array(Check).max(MOST_CHECKS).default([]),
})

/** What `tool.json` says. */
export interface ToolProject extends Omit<z.output<typeof Project>, '$schema' | 'entry'> {
  readonly entry: string
}

const ENTRIES = { typescript: 'tool.ts', python: 'tool.py' } as const

/** @returns `TOOL_PROJECT_INVALID`, which names the field */
export function readProject(files: Contents, tool: string): Result<ToolProject, Failure> {
  const file = files.find(({ path }) => path === PROJECT_FILE)
  if (!file) return invalid('it is missing')
  const json = trySync(
    () => parseExact(new TextDecoder('utf-8', { fatal: true }).decode(file.bytes)),
    messageOf,
  )
  if (!json.ok) return invalid(`it is no JSON: ${json.error}`)
  const checked = Project.safeParse(json.value)
  if (!checked.success) return invalid(problems(checked.error))
  const { $schema: _, entry = ENTRIES[checked.data.language], ...project } = checked.data
  if (project.name !== tool) return invalid(`name: is "${project.name}", and the tool is "${tool}"`)
  if (!files.some(({ path }) => path === entry)) return invalid(`entry: there is no file ${entry}`)
  if (!entry.endsWith(ENTRIES[project.language].slice('tool'.length)))
    return invalid(`entry: ${entry} is no ${project.language}`)
  const twice = project.env.find(
    ({ name }, at) => project.env.findIndex((one) => one.name === name) !== at,
  )
  if (twice) return invalid(`env: ${twice.name} is there twice`)
  return ok({ ...project, entry })
}

const invalid = (problem: string): Result<never, Failure> =>
  err(ToolProjectInvalid(`${PROJECT_FILE}: ${problem}`))

/** Where an output lacks what a check expects; `undefined` where it has all of it. */
export function missingIn(output: Json, expected: Json, path = 'output'): string | undefined {
  if (isObject(expected) && isObject(output)) return missingField(output, expected, path)
  return JSON.stringify(output) === JSON.stringify(expected)
    ? undefined
    : `${path} is ${short(output)}, and ${short(expected)} was expected`
}

function missingField(output: JsonObject, expected: JsonObject, path: string): string | undefined {
  for (const [name, value] of Object.entries(expected)) {
    const found = output[name]
    const at = `${path}.${name}`
    if (found === undefined) return `${at} is missing`
    const missing = missingIn(found, value, at)
    if (missing !== undefined) return missing
  }
  return undefined
}

const MOST_CHARS = 200
const short = (value: Json): string => {
  const text = JSON.stringify(value)
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text
}
