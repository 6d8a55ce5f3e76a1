import { err, isList, isObject, type Json, type JsonObject, ok, type PendingAsk, type Result } from '@amodal/sdk'

/** Checks an answer against the schema of its question: the small part of JSON Schema that questions use. */
export function checkAnswer(ask: PendingAsk, answer: JsonObject): Result<void, string> {
  const problem = misfit(ask.schema, answer, 'answer')
  return problem === undefined ? ok(undefined) : err(problem)
}

const list = (value: Json | undefined): readonly Json[] => (isList(value) ? value : [])
const num = (value: Json | undefined, otherwise: number): number => (typeof value === 'number' ? value : otherwise)

function misfit(schema: JsonObject, value: Json, path: string): string | undefined {
  const allowed = list(schema['enum'])
  if (allowed.length > 0 && !allowed.some((one) => one === value)) return `${path}: must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`
  switch (schema['type']) {
    case 'object': return isObject(value) ? misfitObject(schema, value, path) : `${path}: must be an object`
    case 'string': return typeof value !== 'string' ? `${path}: must be a text`
      : value.length > num(schema['maxLength'], Infinity) ? `${path}: at most ${num(schema['maxLength'], Infinity)} characters` : undefined
    case 'boolean': return typeof value === 'boolean' ? undefined : `${path}: must be true or false`
    case 'integer': case 'number': return typeof value !== 'number' || !Number.isFinite(value) || (schema['type'] === 'integer' && !Number.isInteger(value)) ? `${path}: must be a whole number`
      : value < num(schema['minimum'], -Infinity) || value > num(schema['maximum'], Infinity) ? `${path}: must be from ${num(schema['minimum'], -Infinity)} to ${num(schema['maximum'], Infinity)}` : undefined
    case 'array': {
      if (!isList(value)) return `${path}: must be a list`
      const items = schema['items']
      return isObject(items) ? value.map((item, index) => misfit(items, item, `${path}[${index}]`)).find((problem) => problem !== undefined) : undefined
    }
    default: return undefined
  }
}

function misfitObject(schema: JsonObject, value: JsonObject, path: string): string | undefined {
  for (const key of list(schema['required'])) if (typeof key === 'string' && !(key in value)) return `${path}.${key}: is missing`
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  for (const [key, item] of Object.entries(value)) {
    const inner = properties[key]
    if (isObject(inner)) {
      const problem = misfit(inner, item, `${path}.${key}`)
      if (problem !== undefined) return problem
    } else if (schema['additionalProperties'] === false) return `${path}.${key}: is not known`
  }
  return undefined
}
