import {
  err,
  ok,
  type Json,
  type Result,
  type StoreDefinition,
  type StoreField,
  type StoreFilter,
  type StoreTtlRule,
} from '@amodal/sdk'
import { comparable, storeField } from '@amodal/sdk/stores'
import { didYouMean, type Issues, type JsonFile } from '@amodal/sdk/files'

const OPERATORS: Readonly<Record<string, StoreFilter['op']>> = {
  '=': 'eq',
  '==': 'eq',
  '!=': 'ne',
  '<>': 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
  in: 'in',
  contains: 'contains',
}
const FIX =
  "write it as in \"severity IN ['P1', 'P2'] AND open = true\", with =, !=, <, <=, >, >=, IN or CONTAINS"

interface Conditional {
  readonly override: readonly { readonly condition: string; readonly ttl: number }[]
}

/** Reads the conditions of `ttl_conditional`. */
export function readTtlRules(
  { override }: Conditional,
  entity: StoreDefinition['entity'],
  json: JsonFile,
  issues: Issues,
): readonly StoreTtlRule[] {
  return override.flatMap(({ condition, ttl }, index) => {
    const path = ['ttl_conditional', 'override', index, 'condition']
    const read = readCondition(condition, entity)
    if (read.ok) return [{ when: read.value, ttl }]
    issues.error('BAD_REPO', `the condition "${condition}" ${read.error.message}`, {
      file: json.file,
      line: json.lineOf(path),
      fix: read.error.fix ?? FIX,
    })
    return []
  })
}

interface Problem {
  readonly message: string
  readonly fix?: string
}

/** `field operator value`, as many as there are, between `AND`s. */
function readCondition(
  text: string,
  entity: StoreDefinition['entity'],
): Result<readonly StoreFilter[], Problem> {
  const tokens = tokensOf(text)
  if (!tokens) return err({ message: 'cannot be read' })
  const filters: StoreFilter[] = []
  let at = 0
  do {
    const [name, sign] = [tokens[at], tokens[at + 1]]
    const op = sign === undefined ? undefined : OPERATORS[sign.toLowerCase()]
    if (name === undefined || op === undefined)
      return err({ message: 'is not made of a field, an operator and a value' })
    const end = tokens.findIndex((token, index) => index > at + 1 && token.toLowerCase() === 'and')
    const value = literal(tokens.slice(at + 2, end < 0 ? undefined : end))
    if (value === undefined) return err({ message: `compares \`${name}\` with no value` })
    const misfit = misfitOf(entity, { field: name, op, value })
    if (misfit) return err(misfit)
    filters.push({ field: name, op, value })
    at = end < 0 ? tokens.length : end + 1
    if (end >= 0 && at === tokens.length) return err({ message: 'ends with AND' })
  } while (at < tokens.length)
  return ok(filters)
}

const TOKEN =
  /\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[<>!=]+|[[\],]|-?\d[\w.+-]*|[A-Za-z_][\w.-]*)/y

function tokensOf(text: string): readonly string[] | undefined {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  for (const end = text.trimEnd().length; TOKEN.lastIndex < end;) {
    const token = TOKEN.exec(text)?.[1]
    if (token === undefined) return undefined
    tokens.push(token)
  }
  return tokens
}

/** A text, a number, `true`, `false` or `null`, or a list of those in brackets. */
function literal(tokens: readonly string[]): Json | undefined {
  if (tokens[0] !== '[') return tokens.length === 1 ? single(tokens[0]) : undefined
  if (tokens.at(-1) !== ']') return undefined
  const inside = tokens.slice(1, -1)
  const values = inside.filter((_, index) => index % 2 === 0).map(single)
  const whole =
    inside.length % 2 === 1 && inside.every((token, index) => (index % 2 === 1) === (token === ','))
  return whole && values.every((value) => value !== undefined) ? values : undefined
}

function single(token: string | undefined): Json | undefined {
  if (token === undefined) return undefined
  if (/^['"]/.test(token)) return token.slice(1, -1).replaceAll(/\\(.)/g, '$1')
  if (token === 'true' || token === 'false') return token === 'true'
  if (token === 'null') return null
  const number = Number(token)
  return /^-?\d/.test(token) && Number.isFinite(number) ? number : undefined
}

function misfitOf(
  entity: StoreDefinition['entity'],
  { field: name, op, value }: StoreFilter,
): Problem | undefined {
  const place = storeField({ entity }, name)
  if (!place) {
    const known = Object.keys(entity.schema)
    const meant = didYouMean(name, known)
    return {
      message: `speaks of \`${name}\`, which is no field of the schema`,
      fix: meant === undefined ? `use one of: ${known.join(', ')}` : `write \`${meant}\``,
    }
  }
  const { field } = place
  const list = Array.isArray(value)
  if ((op === 'in') !== list)
    return { message: list ? `compares \`${name}\` with a list` : 'needs a list behind IN' }
  if (op === 'contains')
    return field.type === 'array' || field.type === 'string'
      ? undefined
      : {
          message: `looks into \`${name}\`, which is neither a text nor a list`,
          fix: `compare it with =`,
        }
  const each: readonly Json[] = list ? value : [value]
  const wrong = each.find((one) => one !== null && !fits(field, one))
  if (wrong !== undefined)
    return {
      message: `compares \`${name}\` with ${JSON.stringify(wrong)}, which it never is`,
      fix:
        field.type === 'enum'
          ? `use one of: ${field.values?.join(', ') ?? ''}`
          : `compare it with a ${field.type}`,
    }
  return ['lt', 'lte', 'gt', 'gte'].includes(op) && each.includes(null)
    ? { message: `asks whether \`${name}\` is more or less than nothing` }
    : undefined
}

const fits = (field: StoreField, value: Json): boolean =>
  comparable(value, field) !== undefined &&
  (field.type !== 'enum' || (typeof value === 'string' && field.values?.includes(value) === true))
