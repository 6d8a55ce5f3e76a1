import {
  isList,
  isObject,
  ok,
  type Failure,
  type Json,
  type JsonObject,
  type Result,
  type StoreBackend,
  type StoreDefinition,
  type StoreField,
} from '@amodal/sdk'

/** A reference to a document, and the path of the field that holds it. */
export interface Ref {
  readonly path: string
  readonly store: string
  readonly key: string
}

/** The references of a valid document. */
export function refsOf(
  { entity: { schema } }: StoreDefinition,
  payload: JsonObject,
): readonly Ref[] {
  return refsIn(schema, payload, '')
}

const refsIn = (
  fields: Readonly<Record<string, StoreField>>,
  value: JsonObject,
  at: string,
): readonly Ref[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    refsAt(
      field,
      Object.hasOwn(value, name) ? value[name] : undefined,
      at === '' ? name : `${at}.${name}`,
    ),
  )

function refsAt(field: StoreField, value: Json | undefined, path: string): readonly Ref[] {
  if (field.type === 'ref')
    return typeof value === 'string' && field.store !== undefined
      ? [{ path, store: field.store, key: value }]
      : []
  if (isList(value))
    return field.item
      ? value.flatMap((one, index) =>
          field.item ? refsAt(field.item, one, `${path}[${index}]`) : [],
        )
      : []
  return isObject(value) && field.fields ? refsIn(field.fields, value, path) : []
}

/** Opens the documents of a store for one request or call. */
export type OpenStore = <T>(
  store: StoreDefinition,
  work: (backend: StoreBackend) => Promise<T>,
) => Promise<Result<T, Failure>>

/** Look-ups that run at the same time. */
const AT_ONCE = 16

/**
 * Finds dangling references. References to a store that the agent does not have are skipped.
 *
 * @returns the `nameOf` of each
 */
export async function danglingRefs(
  refs: readonly Ref[],
  stores: readonly StoreDefinition[],
  open: OpenStore,
  signal: AbortSignal,
): Promise<Result<ReadonlySet<string>, Failure>> {
  const dangling = new Set<string>()
  for (const target of stores) {
    const keys = [
      ...new Set(refs.filter(({ store }) => store === target.name).map(({ key }) => key)),
    ]
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      const some = keys.slice(at, at + AT_ONCE)
      const opened = await open(target, (backend) =>
        Promise.all(some.map((key) => backend.get(target, key, signal))),
      )
      if (!opened.ok) return opened
      for (const [index, found] of opened.value.entries()) {
        if (!found.ok) return found
        if (!found.value) dangling.add(nameOf({ store: target.name, key: some[index] ?? '' }))
      }
    }
  }
  return ok(dangling)
}

export const nameOf = ({ store, key }: Pick<Ref, 'store' | 'key'>): string =>
  JSON.stringify([store, key])
