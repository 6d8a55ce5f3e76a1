import { createRequire } from 'node:module'
import type * as Rfc6902 from 'rfc6902'
import { err, ok, type Failure, type Json, type JsonObject, type Result } from '@amodal/sdk'
import { copyJson, textStart } from '@amodal/sdk/data'
import { StateRefused } from './errors.ts'

// Loaded by the first patch.
const load = createRequire(import.meta.url)
const rfc6902 = (): typeof Rfc6902 => load('rfc6902') as typeof Rfc6902

/** Besides `op` and `path`, the members that RFC 6902 requires of an operation. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  add: ['value'],
  replace: ['value'],
  test: ['value'],
  remove: [],
  move: ['from'],
  copy: ['from'],
}

/** Names that reach prototypes. */
const UNSAFE = /\/(?:__proto__|constructor|prototype)(?:\/|$)/

/**
 * The properties that a JSON Patch changes, with their new values.
 *
 * @returns an error where an operation is malformed, a place is missing, a `test` fails or a
 *   property would be removed
 */
export function changesOfPatch(
  values: JsonObject,
  operations: readonly JsonObject[],
): Result<JsonObject, Failure> {
  for (const [index, operation] of operations.entries()) {
    const problem = problemOf(operation)
    if (problem !== undefined) return err(StateRefused(`operation ${index}: ${problem}`))
  }
  const after = copyJson(values) as Record<string, Json> // a copy may be changed
  // `problemOf` has checked the members of each
  const failures = rfc6902().applyPatch(
    after,
    operations.map((one) => copyJson(one)) as unknown as Rfc6902.Operation[],
  )
  const index = failures.findIndex((failure) => failure !== null)
  if (index !== -1) {
    const failed = operations[index]
    const text = JSON.stringify(failed ?? null)
    const reason =
      failed?.['op'] === 'test' ? 'has another value' : (failures[index]?.message ?? 'failed')
    return err(StateRefused(`operation ${index} (${textStart(text, 200)}): ${reason}`))
  }
  const removed = Object.keys(values).find((name) => !Object.hasOwn(after, name))
  if (removed !== undefined)
    return err(StateRefused(`state.${removed}: a property cannot be removed; give it a value`))
  return ok(
    Object.fromEntries(
      Object.entries(after).filter(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(values[name]),
      ),
    ),
  )
}

function problemOf(operation: JsonObject): string | undefined {
  const { op, path } = operation
  const name = typeof op === 'string' ? op : ''
  const required = Object.hasOwn(REQUIRED, name) ? REQUIRED[name] : undefined
  if (!required)
    return `\`op\` is ${JSON.stringify(op ?? null)}, and must be one of ${Object.keys(REQUIRED).join(', ')}`
  if ([path, operation['from']].some((one) => typeof one === 'string' && UNSAFE.test(one)))
    return 'no place in the state is called "__proto__", "constructor" or "prototype"'
  if (!isPointer(path)) return '`path` must be a JSON Pointer, as in "/board/cards/0"'
  for (const member of required)
    if (operation[member] === undefined || (member === 'from' && !isPointer(operation[member])))
      return `\`${name}\` needs \`${member}\``
  return undefined
}

/** The root is left out: the state as a whole cannot be replaced. */
const isPointer = (value: Json | undefined): boolean =>
  typeof value === 'string' && value.startsWith('/')
