import { createRequire } from 'node:module'
import {
  type Failure,
  isList,
  type Json,
  type JsonObject,
  ok,
  REDACTED,
  type Result,
  trySync,
} from '@amodal/sdk'
import { isNumber } from '@amodal/sdk/data'
import type * as Re2 from 're2js'
import {
  ACTION,
  isFieldValue,
  jsonObject,
  type Elicitation,
  type ElicitationAnswer,
  type Field,
} from './elicitation.ts'

// Loaded by the first field with a pattern.
const load = createRequire(import.meta.url)

/** What people have answered to earlier questions of a call: the newest counts. */
export type Given = readonly { readonly context: JsonObject; readonly answer: JsonObject }[]

/** Whether a person did not accept what a server wants before it takes a call. */
export const isDeclined = (last: Given[number] | undefined): boolean =>
  last?.context['prerequisite'] === true && jsonObject(last.answer['answers'])[ACTION] !== 'accept'

/** What may be sent of a person's answer. */
export interface Sending {
  /** A text with values in the place of their handles, where this server may have them. */
  readonly reveal: (text: string) => Result<string, Failure>
  /** Paths of values that it may not have. */
  readonly redactedIn: (content: JsonObject) => readonly string[]
}

/** The answer to this very question, as it may be sent, or what is wrong with it. */
export function answerIn(
  given: Given,
  { key, fields }: Elicitation,
  sending: Sending,
): { readonly answer?: ElicitationAnswer; readonly problems: readonly string[] } {
  const found = given.findLast(({ context }) => context['elicitation'] === key)
  if (!found) return { problems: [] }
  const answers = jsonObject(found.answer['answers'])
  const action = answers[ACTION]
  if (action === 'decline' || action === 'cancel') return { answer: { action }, problems: [] }
  // Silence is no consent.
  if (Object.keys(answers).length === 0) return { problems: ['still needed: a yes or no'] }
  const { values, problems: unsendable } = sendable(answers, fields, sending)
  if (unsendable.length > 0) return { problems: unsendable }
  const present = new Set(values.map(([{ name }]) => name))
  const missing = fields
    .filter(({ name, required }) => required && !present.has(name))
    .map(({ name }) => name)
  const problems = [
    ...(missing.length === 0 ? [] : [`still needed: ${missing.join(', ')}`]),
    ...values.flatMap(([field, value]) => {
      const problem = misfit(field, value)
      return problem === undefined ? [] : [`${field.name} ${problem}`]
    }),
  ]
  if (problems.length > 0) return { problems }
  const content = Object.fromEntries(
    values.flatMap(([{ name }, value]) => (isFieldValue(value) ? [[name, value]] : [])),
  )
  return { answer: { action: 'accept', content }, problems: [] }
}

/** The values of a person as they may be sent; what the server proposed in place of the rest. */
function sendable(
  answers: JsonObject,
  fields: readonly Field[],
  { reveal, redactedIn }: Sending,
): {
  readonly values: readonly (readonly [Field, Json])[]
  readonly problems: readonly string[]
} {
  const values: (readonly [Field, Json])[] = []
  const problems: string[] = []
  const own: Record<string, Json> = {}
  for (const field of fields) {
    const value = answers[field.name]
    const proposed = proposedBy(field, value)
    if (proposed !== undefined) values.push([field, proposed])
    if (value === undefined || proposed !== undefined) continue
    const revealed = mapTexts(value, reveal)
    if (revealed.ok) {
      values.push([field, revealed.value])
      own[field.name] = revealed.value
    } else problems.push(`${field.name} may not be sent: ${revealed.error.message}`)
  }
  for (const path of redactedIn(own))
    problems.push(`${path} may not be sent: it holds a redacted value`)
  return { values, problems }
}

/** What the server has sent itself: its default, where it was left as it is, and its options. */
function proposedBy(
  { options, default: preset, shownDefault }: Field,
  value: Json | undefined,
): Json | undefined {
  const isLeft =
    value === undefined ||
    JSON.stringify(value) === JSON.stringify(shownDefault) ||
    (value === REDACTED && preset !== shownDefault)
  if (isLeft) return preset
  const chosen = (one: Json): string | undefined =>
    options.find(({ value: sent, shown }) => one === shown || one === sent)?.value
  if (!isList(value)) return chosen(value)
  const all = value.flatMap((one) => chosen(one) ?? [])
  return all.length === value.length && options.length > 0 ? all : undefined
}

function mapTexts(
  value: Json,
  change: (text: string) => Result<string, Failure>,
): Result<Json, Failure> {
  if (typeof value === 'string') return change(value)
  if (!isList(value)) return ok(value)
  const all: Json[] = []
  for (const one of value) {
    const changed = mapTexts(one, change)
    if (!changed.ok) return changed
    all.push(changed.value)
  }
  return ok(all)
}

/** Why a value is not what its field asks for. */
function misfit({ type, schema, options }: Field, value: Json): string | undefined {
  const limit = (name: string, otherwise: number): number =>
    typeof schema[name] === 'number' ? schema[name] : otherwise
  const allowed = (one: Json): boolean =>
    options.length === 0 || options.some((option) => option.value === one)
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'number':
    case 'integer': {
      if (
        !isNumber(value) ||
        !Number.isFinite(Number(value)) ||
        (type === 'integer' && !Number.isInteger(Number(value)))
      )
        return `must be a ${type === 'integer' ? 'whole ' : ''}number`
      if (Number(value) < limit('minimum', -Infinity))
        return `must be at least ${limit('minimum', 0)}`
      return Number(value) > limit('maximum', Infinity)
        ? `must be at most ${limit('maximum', 0)}`
        : undefined
    }
    case 'array': {
      if (!isList(value) || !value.every(allowed)) return 'must be a selection of its options'
      return value.length < limit('minItems', 0) || value.length > limit('maxItems', Infinity)
        ? `must have ${limit('minItems', 0)} to ${limit('maxItems', options.length)} entries`
        : undefined
    }
    case 'string': {
      if (typeof value !== 'string') return 'must be a text'
      if (!allowed(value)) return 'must be one of its options'
      const { length } = [...value]
      if (length < limit('minLength', 0))
        return `must have at least ${limit('minLength', 0)} characters`
      if (length > limit('maxLength', Infinity))
        return `must have at most ${limit('maxLength', 0)} characters`
      return misfitText(schema, value)
    }
  }
}

function misfitText({ format, pattern }: JsonObject, value: string): string | undefined {
  if (typeof format === 'string' && FORMATS[format]?.(value) === false)
    return `must be ${format === 'email' ? 'an e-mail address' : `a valid ${format}`}`
  if (typeof pattern !== 'string') return undefined
  // A stranger's pattern, on an engine that takes linear time. One that it does not know is left to
  // the server.
  const compiled = trySync(
    () => (load('re2js') as typeof Re2).RE2JS.compile(pattern),
    () => undefined,
  )
  return !compiled.ok || compiled.value.matcher(value).find() ? undefined : `must match ${pattern}`
}

const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  email: (value) => /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(value),
  uri: (value) => URL.canParse(value),
  date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && isDate(value),
  'date-time': (value) =>
    /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(value) &&
    isDate(value.slice(0, 10)) &&
    !Number.isNaN(Date.parse(value)),
}

/** A day that there is: `Date` takes the 30th of February for the 2nd of March. */
function isDate(day: string): boolean {
  const read = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(day)
}
