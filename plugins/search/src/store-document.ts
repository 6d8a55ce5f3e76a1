import { isList, isObject, type Json, type StoreDefinition, type StoreField } from '@amodal/sdk'
import { passagesOfLines } from './passages.ts'
import type { SearchableDocument } from './corpus.ts'

/** Fields whose values are texts or hold some. */
function holdsText({ type, item, fields = {} }: StoreField): boolean {
  switch (type) {
    case 'string':
    case 'enum':
      return true
    case 'array':
      return item === undefined || holdsText(item)
    case 'object':
      return Object.keys(fields).length === 0 || Object.values(fields).some(holdsText)
    case 'number':
    case 'boolean':
    case 'datetime':
    case 'ref':
      return false
  }
}

/** Whether the documents of a store have texts that can be searched. */
export const isSearchable = ({ entity: { schema } }: StoreDefinition): boolean =>
  Object.values(schema).some(holdsText)

/**
 * A document of a store as it is indexed: its key as title, and a line `field: value` for each
 * field with text.
 */
export function searchableOf(
  { entity: { schema } }: StoreDefinition,
  { key, payload }: { readonly key: string; readonly payload: Readonly<Record<string, Json>> },
): SearchableDocument {
  const lines = Object.entries(schema).flatMap(([name, field]) => {
    const texts = holdsText(field) ? textsIn(payload[name] ?? null) : []
    return texts.length === 0 ? [] : [`${name}: ${texts.join(', ')}`]
  })
  return { key, title: key, passages: passagesOfLines(lines) }
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value]
  if (isList(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
}
