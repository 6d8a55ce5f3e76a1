import type { Json, JsonObject } from '@amodal/sdk'
import { plain } from '../model/timeline.ts'
import type { NamedValue } from './values.tsx'

/** Where the values of a call are from: what was read, and the words around each value. */
export function originRows(origins: Json): readonly NamedValue[] {
  if (!Array.isArray(origins)) return rowsFor(origins)
  return origins.flatMap((origin: Json) => (isRecord(origin) ? [rowOf(origin)] : rowsFor(origin)))
}

const rowsFor = (value: Json): readonly NamedValue[] => (value === null ? [] : [['origins', value]])

function rowOf({ field = '', value = '', from = null }: JsonObject): NamedValue {
  const source = isRecord(from) ? from : undefined
  if (field === 'call')
    return [
      'Was read',
      source ? `${plain(source['tool'] ?? '')}: ${plain(source['excerpt'] ?? '')}` : '',
    ]
  const where = source
    ? `from ${plain(source['tool'] ?? '')}: ${plain(source['excerpt'] ?? '')}`
    : 'from nowhere that is known'
  return [`Origin of ${plain(field)}`, `${plain(value)}, ${where}`]
}

const isRecord = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
