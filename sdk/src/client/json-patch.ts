import type { Json } from '@amodal/kernel'
import type { StatePatch } from '../agent-event.ts'

/**
 * A value after a JSON Patch (RFC 6902) of `add`, `replace` and `remove`. What the patch does not
 * touch is the same object as before.
 *
 * @throws where a place of the patch is not there
 * @see https://datatracker.ietf.org/doc/html/rfc6902
 */
export const patched = (value: Json, patch: readonly StatePatch[]): Json =>
  patch.reduce<Json>((now, operation) => changed(now, placesOf(operation.path), operation), value)

const placesOf = (path: string): readonly string[] =>
  path === ''
    ? []
    : path
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

function changed(value: Json, places: readonly string[], operation: StatePatch): Json {
  const [place, ...rest] = places
  if (place === undefined) return operation.op === 'remove' ? null : operation.value
  if (Array.isArray(value)) return inList(value, place, rest, operation)
  if (typeof value !== 'object' || value === null) throw missing(operation)
  // neither a list nor a plain value
  return inObject(value as Readonly<Record<string, Json>>, place, rest, operation)
}

function inObject(
  object: Readonly<Record<string, Json>>,
  place: string,
  rest: readonly string[],
  operation: StatePatch,
): Json {
  const isLast = rest.length === 0
  const inside = Object.hasOwn(object, place) ? object[place] : undefined
  if (inside === undefined && !(isLast && operation.op === 'add')) throw missing(operation)
  if (isLast && operation.op === 'remove')
    return Object.fromEntries(Object.entries(object).filter(([name]) => name !== place))
  return { ...object, [place]: changed(inside ?? null, rest, operation) }
}

function inList(
  list: readonly Json[],
  place: string,
  rest: readonly string[],
  operation: StatePatch,
): Json {
  const at = place === '-' ? list.length : Number(place)
  const most = rest.length === 0 && operation.op === 'add' ? list.length : list.length - 1
  if (!Number.isInteger(at) || at < 0 || at > most) throw missing(operation)
  if (rest.length > 0) return list.with(at, changed(list[at] ?? null, rest, operation))
  if (operation.op === 'remove') return list.toSpliced(at, 1)
  return operation.op === 'add'
    ? list.toSpliced(at, 0, operation.value)
    : list.with(at, operation.value)
}

const missing = ({ path }: StatePatch): Error => new Error(`there is nothing at ${path}`)
