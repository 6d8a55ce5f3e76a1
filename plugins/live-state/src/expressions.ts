import { createRequire } from 'node:module'
import { messageOf, trySync, type Json, type JsonObject } from '@amodal/sdk'
import { ExactNumber, isExact, isNumber, withDoubles } from '@amodal/sdk/data'
import type * as Cel from '@marcbachmann/cel-js'
import type { ExpressionName, Expressions, StateProperty } from './declaration.ts'

/** What CEL calls the results that fit. */
const FITTING: Readonly<Record<Exclude<ExpressionName, 'instructions'>, readonly string[]>> = {
  model: ['string', 'dyn'],
  temperature: ['double', 'int', 'dyn'],
  maxTurns: ['int', 'double', 'dyn'],
  maxTokens: ['int', 'double', 'dyn'],
}
const WANTED: Readonly<Record<keyof typeof FITTING, string>> = {
  model: 'a text: `main`, `simple`, `advanced`, `explore` or `provider/model`',
  temperature: 'a number',
  maxTurns: 'a whole number',
  maxTokens: 'a whole number',
}
const HOLE = /\{\{([\s\S]+?)\}\}/g
/** An expression is small: what takes longer is a defect of it. */
const LIMITS = { maxAstNodes: 500, maxDepth: 40, maxListElements: 100, maxMapEntries: 100 }

/** Loaded by the first expression: most agents have none. */
let library: typeof Cel | undefined
const cel = (): typeof Cel =>
  (library ??= createRequire(import.meta.url)('@marcbachmann/cel-js') as typeof Cel)

/** What expressions are evaluated over. */
export interface ExpressionInputs {
  /** Values of the state, by property. */
  readonly state: JsonObject
  /** Who asks: the principal of the run, with the roles of its message. */
  readonly principal: {
    readonly id: string
    readonly roles: readonly string[]
    readonly tenant: string
  }
  /** ms since 1970. */
  readonly now: number
}

/** What a turn begins with. */
export interface Evaluated {
  readonly instructions?: string
  readonly model?: string
  readonly temperature?: number
  readonly maxTurns?: number
  readonly maxTokens?: number
  /** Expressions that failed on these values, and why. */
  readonly failed: readonly { readonly name: ExpressionName; readonly message: string }[]
}

export interface ExpressionProblem {
  readonly name: ExpressionName
  readonly message: string
  readonly fix: string
}

/** What is wrong with expressions, seen without any values. */
export function problemsOf(
  expressions: Expressions,
  properties: readonly StateProperty[],
): readonly ExpressionProblem[] {
  const names = written(expressions)
  if (names.length === 0) return []
  const environment = environmentOf(properties)
  return names.flatMap(([name, text]) =>
    name === 'instructions'
      ? partsOf(text).flatMap((part) =>
          typeof part === 'string' ? [] : checked(name, part.expression, environment, undefined),
        )
      : checked(name, text, environment, name),
  )
}

const written = (expressions: Expressions): readonly (readonly [ExpressionName, string])[] =>
  (['instructions', 'model', 'temperature', 'maxTurns', 'maxTokens'] as const).flatMap((name) => {
    const text = expressions[name]
    return text === null ? [] : [[name, text] as const]
  })

function checked(
  name: ExpressionName,
  text: string,
  environment: Cel.Environment,
  result: keyof typeof FITTING | undefined,
): readonly ExpressionProblem[] {
  const fix =
    'write CEL over `state`, `principal` and `now`, as in state.level > 3 ? "advanced" : "main"'
  const check = environment.check(text)
  if (!check.valid) return [{ name, message: firstLine(messageOf(check.error)), fix }]
  const type = String(check.type)
  return result === undefined || FITTING[result].includes(type)
    ? []
    : [{ name, message: `gives ${type}, and must give ${WANTED[result]}`, fix }]
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? text

/**
 * Evaluates what a turn begins with. An expression that fails on these values is left out, and
 * named.
 */
export function evaluate(
  expressions: Expressions,
  properties: readonly StateProperty[],
  { state, principal, now }: ExpressionInputs,
): Evaluated {
  const environment = environmentOf(properties)
  const context = { state: contextOf(properties, state), principal, now: new Date(now) }
  const failed: { name: ExpressionName; message: string }[] = []
  const found: Record<string, string | number> = {}
  for (const [name, text] of written(expressions)) {
    const made = trySync(
      (): unknown =>
        name === 'instructions'
          ? filled(text, environment, context)
          : environment.evaluate(text, context),
      (cause) => firstLine(messageOf(cause)),
    )
    const value = made.ok ? plainOf(made.value) : undefined
    if (!made.ok) failed.push({ name, message: made.error })
    else if (!fits(name, value)) failed.push({ name, message: `gave ${JSON.stringify(value)}` })
    else found[name] = value
  }
  return { ...found, failed }
}

function fits(name: ExpressionName, value: Json | undefined): value is string | number {
  if (name === 'instructions' || name === 'model') return typeof value === 'string' && value !== ''
  if (typeof value !== 'number' || !Number.isFinite(value)) return false
  return name === 'temperature' ? value >= 0 && value <= 2 : Number.isInteger(value) && value > 0
}

const filled = (
  text: string,
  environment: Cel.Environment,
  context: Record<string, unknown>,
): string =>
  partsOf(text)
    .map((part) =>
      typeof part === 'string' ? part : textOf(environment.evaluate(part.expression, context)),
    )
    .join('')

type Part = string | { readonly expression: string }

function partsOf(text: string): readonly Part[] {
  const parts: Part[] = []
  let at = 0
  for (const match of text.matchAll(HOLE)) {
    parts.push(text.slice(at, match.index), { expression: (match[1] ?? '').trim() })
    at = match.index + match[0].length
  }
  return [...parts, text.slice(at)]
}

const textOf = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  const plain = plainOf(value)
  return typeof plain === 'string' ? plain : JSON.stringify(plain ?? null)
}

/** CEL's whole numbers are `bigint`. */
function plainOf(value: unknown): Json | undefined {
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : new ExactNumber(String(value))
  if (isExact(value)) return value
  if (Array.isArray(value)) return value.map((one) => plainOf(one) ?? null)
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, one]) => [String(key), plainOf(one) ?? null]))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, plainOf(one) ?? null]),
    )
  return typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    value === null
    ? value
    : undefined
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'int',
  number: 'double',
  boolean: 'bool',
  array: 'list',
  object: 'map',
}
const typeOf = ({ schema: { type } }: StateProperty): string =>
  (typeof type === 'string' && TYPES[type]) || 'dyn'

const environments = new WeakMap<readonly StateProperty[], Cel.Environment>()

function environmentOf(properties: readonly StateProperty[]): Cel.Environment {
  const known = environments.get(properties)
  if (known) return known
  const schema = Object.fromEntries(properties.map((property) => [property.name, typeOf(property)]))
  const environment = new (cel().Environment)({
    unlistedVariablesAreDyn: false,
    homogeneousAggregateLiterals: false,
    limits: LIMITS,
  })
  environment.registerVariable({ name: 'state', schema })
  environment.registerVariable({
    name: 'principal',
    schema: { id: 'string', roles: 'list<string>', tenant: 'string' },
  })
  environment.registerVariable('now', 'google.protobuf.Timestamp')
  // A person writes `state.level * 0.1` whatever kind of number it is.
  for (const [sign, work] of ARITHMETIC) {
    environment.registerOperator(`int ${sign} double: double`, (a: bigint, b: number) =>
      work(Number(a), b),
    )
    environment.registerOperator(`double ${sign} int: double`, (a: number, b: bigint) =>
      work(a, Number(b)),
    )
  }
  environments.set(properties, environment)
  return environment
}

const ARITHMETIC: readonly (readonly [string, (a: number, b: number) => number])[] = [
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
]

/** Expressions reckon with doubles where a property is no whole number. */
const valueOf = (value: Json | undefined): Json | undefined =>
  value === undefined ? undefined : withDoubles(value)

const contextOf = (
  properties: readonly StateProperty[],
  values: JsonObject,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    properties.map((property) => {
      const value = values[property.name] ?? property.default
      return [
        property.name,
        typeOf(property) === 'int' && isNumber(value) ? BigInt(String(value)) : valueOf(value),
      ]
    }),
  )
