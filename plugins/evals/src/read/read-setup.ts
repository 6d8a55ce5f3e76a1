import { isList, type JsonObject, parseDateTime } from '@amodal/sdk'
import type { Setup } from '../definition.ts'
import type { Part } from './part.ts'

const FIELDS = ['context', 'stores', 'state', 'clock', 'roles'] as const

/**
 * Reads what a case begins with.
 *
 * @example readSetup(part) // of `context: It is Monday.`: { context: 'It is Monday.', stores: {} }
 */
export function readSetup(part: Part): Setup {
  const fields = part.fields(FIELDS)
  if (!fields) return { stores: {} }
  const field = (name: (typeof FIELDS)[number]): Part | undefined => fields.get(name)
  const stores = field('stores')
  const context = field('context')?.text()?.trim()
  const state = field('state')?.object()
  const clock = clockOf(field('clock'))
  const roles = rolesOf(field('roles'))
  return {
    ...(context !== undefined && { context }),
    stores: stores ? documentsOf(stores) : {},
    ...(state && { state }),
    ...(clock !== undefined && { clock }),
    ...(roles && { roles }),
  }
}

/** One setup over another: fields that the second has count, and stores by their names. */
export const withDefaults = (defaults: Setup, own: Setup): Setup => ({
  ...defaults,
  ...own,
  stores: { ...defaults.stores, ...own.stores },
})

function documentsOf(part: Part): Readonly<Record<string, readonly JsonObject[]>> {
  return Object.fromEntries(
    (part.entries() ?? [])
      .filter(([, { value }]) => value !== null)
      .map(([name, list]) => [name, objectsOf(list)] as const),
  )
}

/** A list of objects; tells of members that are none. */
export const objectsOf = (part: Part): readonly JsonObject[] =>
  (part.items() ?? []).map((item) => item.object()).filter((object) => object !== undefined)

function clockOf(part: Part | undefined): string | undefined {
  const text = part?.text()?.trim()
  if (text === undefined || parseDateTime(text) !== undefined) return text
  return part?.error(`"${text}" is no time`, 'write one of ISO 8601, as in 2026-03-26T09:14:00Z')
}

/** No role at all is a list, too: such a caller may use nothing. */
function rolesOf(part: Part | undefined): readonly string[] | undefined {
  return part && isList(part.value) && part.value.length === 0 ? [] : part?.texts()
}
