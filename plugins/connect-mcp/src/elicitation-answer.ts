import { isList, trySync, type Json, type JsonObject } from '@amodal/sdk'
import { RE2JS } from 're2js'
import {
  ACTION,
  isFieldValue,
  jsonObject,
  type Elicitation,
  type ElicitationAnswer,
  type Field,
} from './elicitation.ts'

/** What people have answered to earlier questions of a call: the newest counts. */
export type Given = readonly { readonly context: JsonObject; readonly answer: JsonObject }[]

/** The answer to this very question, as it may be sent, or what is wrong with it. */
export function answerIn(
  given: Given,
  { key, fields }: Elicitation,
): { readonly answer?: ElicitationAnswer; readonly problems: readonly string[] } {
  const found = given.findLast(({ context }) => context['elicitation'] === key)
  if (!found) return { problems: [] }
  const answers = jsonObject(found.answer['answers'])
  const action = answers[ACTION]
  if (action === 'decline' || action === 'cancel') return { answer: { action }, problems: [] }
  // Silence is no consent.
  if (Object.keys(answers).length === 0) return { problems: ['still needed: a yes or no'] }
  const values = fields.flatMap((field): readonly (readonly [Field, Json])[] => {
    const value = answers[field.name] ?? field.default
    return value === undefined ? [] : [[field, value]]
  })
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
        typeof value !== 'number' ||
        !Number.isFinite(value) ||
        (type === 'integer' && !Number.isInteger(value))
      )
        return `must be a ${type === 'integer' ? 'whole ' : ''}number`
      return value < limit('minimum', -Infinity)
        ? `must be at least ${limit('minimum', 0)}`
        : value > limit('maximum', Infinity)
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
    () => RE2JS.compile(pattern),
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
