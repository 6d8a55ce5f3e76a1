import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import type { StandardSchemaV1Sync } from '@modelcontextprotocol/client'

type Path = readonly (string | number)[]
type Container = Record<string, Json> | Json[]

/** What a check says of one part of a value. */
interface Misfit {
  readonly path: Path
  readonly message: string
  /** The type that is wanted there, where the check says so. */
  readonly expected?: string
}

export interface RepairOptions {
  /**
   * Values of parts that are missing, by their path; `*` is any place of a list, as in
   * `tools.*.inputSchema`.
   */
  readonly defaults?: Readonly<Record<string, Json>>
  /** Optional parts that cannot be read are removed; otherwise they stay as they are. */
  readonly drops: boolean
}

export interface Repaired {
  readonly value: JsonObject
  /** The parts that were removed, each with the reason. */
  readonly leftOut: readonly string[]
}

/** Checks of one value. Each removes a level of a part at least, and parts are not deep. */
const ROUNDS = 20

/**
 * Makes a value fit its schema, where that is possible: null is absent, a number or a truth in
 * quotes is one where the schema wants one, and a part that does not fit is removed with its name.
 * A missing part takes what holds it along, up to the next optional one, such as the tool that has
 * no name.
 *
 * @param value as it was received; it is not changed
 */
export function repair(
  value: JsonObject,
  schema: StandardSchemaV1Sync,
  { defaults = {}, drops }: RepairOptions,
): Repaired {
  let misfits = misfitsOf(schema, value)
  if (misfits.length === 0) return { value, leftOut: [] }
  const copy = structuredClone(value) as Record<string, Json>
  const leftOut: string[] = []
  for (let round = 0; round < ROUNDS && misfits.length > 0; round++) {
    const unmended = misfits.filter((misfit) => !mend(copy, misfit, defaults))
    if (unmended.length === misfits.length) {
      if (!drops || !drop(copy, unmended, leftOut)) break
    }
    misfits = misfitsOf(schema, copy)
  }
  return { value: copy, leftOut }
}

/** Removes what is null, converts what is in quotes, and adds what has a default. */
function mend(
  root: Container,
  { path, expected }: Misfit,
  defaults: Readonly<Record<string, Json>>,
): boolean {
  const holder = holderOf(root, path)
  const name = path.at(-1)
  if (holder === undefined || name === undefined) return false
  const value = at(holder, name)
  if (value === null) return remove(holder, name)
  if (value === undefined) {
    const preset = defaults[path.map((part) => (typeof part === 'number' ? '*' : part)).join('.')]
    return preset !== undefined && put(holder, name, structuredClone(preset))
  }
  const converted = convert(value, expected)
  return converted !== undefined && put(holder, name, converted)
}

function convert(value: Json, expected: string | undefined): Json | undefined {
  // capabilities: some servers say `"tools": true`
  if (expected === 'object' && value === true) return {}
  if (typeof value !== 'string') return undefined
  if (expected === 'boolean' && /^(?:true|false)$/.test(value)) return value === 'true'
  const isNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)
  return isNumber && (expected === 'number' || expected === 'int') ? Number(value) : undefined
}

/** Removes each part that does not fit, from the back: places of a list stay what they are. */
function drop(root: Container, misfits: readonly Misfit[], leftOut: string[]): boolean {
  const targets = new Map<string, Misfit>()
  for (const misfit of misfits) {
    const isMissing = valueAt(root, misfit.path) === undefined
    const path = isMissing ? misfit.path.slice(0, -1) : misfit.path
    if (path.length === 0) continue
    const key = JSON.stringify(path)
    if (!targets.has(key)) targets.set(key, { ...misfit, path })
    if (isMissing) leftOut.push(reasonOf(root, misfit))
    else leftOut.push(reasonOf(root, { ...misfit, path }))
  }
  const ordered = [...targets.values()].sort((a, b) => comparePaths(b.path, a.path))
  for (const { path } of ordered) {
    const holder = holderOf(root, path)
    const name = path.at(-1)
    if (holder !== undefined && name !== undefined) remove(holder, name)
  }
  return ordered.length > 0
}

/** Where it is, with the names of what it is in, and what is wrong: `tools[2] (search).name: …`. */
function reasonOf(root: Container, { path, message }: Misfit): string {
  const parts = path.map((part, index) => {
    if (typeof part !== 'number') return `${index === 0 ? '' : '.'}${part}`
    const item = valueAt(root, path.slice(0, index + 1))
    const name = item !== undefined && isObject(item) ? item['name'] : undefined
    return `[${part}]${typeof name === 'string' ? ` (${name})` : ''}`
  })
  return `${parts.join('')}: ${message}`
}

function comparePaths(a: Path, b: Path): number {
  for (const [index, part] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    if (part === other) continue
    if (typeof part === 'number' && typeof other === 'number') return part - other
    return String(part) < String(other) ? -1 : 1
  }
  return a.length - b.length
}

function holderOf(root: Container, path: Path): Container | undefined {
  const holder = path.length === 0 ? undefined : valueAt(root, path.slice(0, -1))
  // an own copy
  return typeof holder === 'object' && holder !== null ? (holder as Container) : undefined
}

function valueAt(root: Container, path: Path): Json | undefined {
  let value: Json | undefined = root
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = at(value as Container, part)
  }
  return value
}

function at(holder: Container, name: string | number): Json | undefined {
  if (isList(holder)) return typeof name === 'number' ? holder[name] : undefined
  return Object.hasOwn(holder, name) ? holder[name] : undefined
}

function remove(holder: Container, name: string | number): boolean {
  if (Array.isArray(holder)) holder.splice(Number(name), 1)
  else Reflect.deleteProperty(holder, name)
  return true
}

function put(holder: Container, name: string | number, value: Json): boolean {
  if (Array.isArray(holder)) holder[Number(name)] = value
  else holder[name] = value
  return true
}

/** What zod says of a part, as far as it is used here. */
interface ZodIssue {
  readonly path?: readonly unknown[]
  readonly message: string
  readonly code?: string
  readonly expected?: string
  readonly errors?: readonly (readonly ZodIssue[])[]
}

function misfitsOf(schema: StandardSchemaV1Sync, value: Json): readonly Misfit[] {
  const { issues = [] } = schema['~standard'].validate(value)
  return issues.flatMap((issue) => leavesOf(issue as ZodIssue, []))
}

/** Of alternatives, such as the kinds of blocks, the one that is meant counts. */
function leavesOf(
  { path = [], message, code, expected, errors }: ZodIssue,
  above: Path,
): readonly Misfit[] {
  const here = [...above, ...path.map(partOf)]
  const meant = code === 'invalid_union' ? meantOf(errors ?? []) : undefined
  return meant
    ? meant.flatMap((issue) => leavesOf(issue, here))
    : [{ path: here, message, ...(expected !== undefined && { expected }) }]
}

function meantOf(branches: readonly (readonly ZodIssue[])[]): readonly ZodIssue[] | undefined {
  const typed = branches.filter(
    (issues) => !issues.some(({ path = [] }) => path.length === 1 && path[0] === 'type'),
  )
  // without a kind that is known, the whole of it does not fit
  if (typed.length === 0) return undefined
  return typed.reduce((least, issues) => (issues.length < least.length ? issues : least))
}

const partOf = (part: unknown): string | number =>
  typeof part === 'number' ? part : String(isKeyed(part) ? part.key : part)

const isKeyed = (part: unknown): part is { readonly key: PropertyKey } =>
  typeof part === 'object' && part !== null && 'key' in part
