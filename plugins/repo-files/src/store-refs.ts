import type { JsonObject, StoreDefinition, StoreField } from '@amodal/sdk'
import type { Issues, JsonFile, Path } from '@amodal/sdk/files'

/** A store with the file it was read from. */
export interface ReadStore {
  readonly store: StoreDefinition
  readonly json: JsonFile<JsonObject>
}

interface Ref {
  readonly path: Path
  readonly target: string
  /** No document can be without it. */ readonly required: boolean
}

/** Warns of references to stores that are not there. */
export function warnOfUnknownRefs(read: readonly ReadStore[], issues: Issues): void {
  const names = new Set(read.map(({ store }) => store.name))
  for (const { store, json } of read) {
    for (const { path, target } of refsOf(store)) {
      if (names.has(target)) continue
      issues.warn('NOT_FOUND', `there is no store "${target}" to refer to`, {
        file: store.file,
        line: json.lineOf(path),
        fix: `add stores/${target}.json, or correct the name`,
      })
    }
  }
}

/**
 * Leaves out stores whose documents would each need one of the other first, so that none could ever
 * be written. A store that refers to itself is none of these: its first document refers to itself.
 */
export function withoutCycles(read: readonly ReadStore[], issues: Issues): readonly ReadStore[] {
  const needs = new Map(
    read.map(({ store }) => [
      store.name,
      refsOf(store).filter(({ required, target }) => required && target !== store.name),
    ]),
  )
  return read.filter(({ store: { name, file }, json }) => {
    for (const { path, target } of needs.get(name) ?? []) {
      const way = wayBack(target, name, needs)
      if (!way) continue
      issues.error(
        'BAD_REPO',
        `the reference is cyclic: ${[name, ...way].join(' → ')}, so that no first document can be written`,
        { file, line: json.lineOf(path), fix: 'make one of these references "nullable"' },
      )
      return false
    }
    return true
  })
}

/** The stores on the way from one to another, both included. */
function wayBack(
  from: string,
  to: string,
  needs: ReadonlyMap<string, readonly Ref[]>,
  seen = new Set<string>(),
): readonly string[] | undefined {
  if (from === to) return [to]
  if (seen.has(from)) return undefined
  seen.add(from)
  for (const { target } of needs.get(from) ?? []) {
    const way = wayBack(target, to, needs, seen)
    if (way) return [from, ...way]
  }
  return undefined
}

/** Every reference to a store, however deep. */
const refsOf = ({ entity: { schema } }: StoreDefinition): readonly Ref[] =>
  refsIn(schema, ['entity', 'schema'], true)

const refsIn = (
  fields: Readonly<Record<string, StoreField>>,
  at: Path,
  required: boolean,
): readonly Ref[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    refsOfField(field, [...at, name], required && field.nullable !== true),
  )

function refsOfField(field: StoreField, path: Path, required: boolean): readonly Ref[] {
  if (field.type === 'ref')
    return field.store === undefined
      ? []
      : [{ path: [...path, 'store'], target: field.store, required }]
  if (field.type === 'array')
    // a list may be empty
    return field.item ? refsOfField(field.item, [...path, 'item'], false) : []
  return field.type === 'object' && field.fields
    ? refsIn(field.fields, [...path, 'fields'], required)
    : []
}
