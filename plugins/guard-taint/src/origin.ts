import { ellipsis } from '@amodal/sdk/data'
import type { Json, JsonObject, PreparedCall } from '@amodal/sdk'
import type { Chosen } from './chosen.ts'
import type { Source } from './corpus.ts'
import { normal } from './normal.ts'
import type { Known } from './taint.ts'

/**
 * The origin of a value of a call: a result, or unknown. Values from a person or the agent's files
 * have none.
 */
export interface Origin extends Chosen {
  readonly from:
    | { readonly tool: string; readonly call: string; readonly excerpt: string }
    | 'unknown'
}

/** Origins that a person is shown, and characters around a value. */
const MOST = 20
const AROUND = 80
const MOST_VALUE = 300

export function originOf({ field, value }: Chosen, source: Source | undefined): Origin {
  if (!source) return { field, value: short(value), from: 'unknown' }
  return {
    field,
    value: short(value),
    from: { tool: source.tool, call: source.call, excerpt: excerptOf(source.text, String(value)) },
  }
}

/** A call whose values are all trusted: nothing says that a person wants it. */
export function unaskedCall(
  { tool, action }: PreparedCall,
  { session: { outside }, described }: Known,
): Origin {
  const name = action ? `${action.method} ${action.path}` : tool.name
  return originOf({ field: 'call', value: name }, outside.newest ?? described.newest)
}

/** For a result that may not be shown, names the tool and leaves out the excerpt. */
export function shownOrigin(origin: Origin, isPrivate: (tool: string) => boolean): Origin {
  const { from } = origin
  return from !== 'unknown' && isPrivate(from.tool)
    ? { ...origin, from: { ...from, excerpt: '[private]' } }
    : origin
}

const short = (value: string | number): string | number =>
  typeof value === 'string' ? ellipsis(value, MOST_VALUE) : value

/**
 * The place of a text where a value stands; its beginning, where the value is spelled in another
 * way there.
 */
function excerptOf(text: string, value: string): string {
  const found = text.toLowerCase().indexOf(value.toLowerCase())
  const start = Math.max(0, found - AROUND)
  const end = Math.min(text.length, Math.max(found, 0) + value.length + AROUND)
  return `${start > 0 ? '…' : ''}${text.slice(start, end).replace(/\s+/g, ' ').trim()}${end < text.length ? '…' : ''}`
}

/** The context of an approval: each origin once. */
export function originsContext(origins: readonly Origin[]): JsonObject {
  const once = [
    ...new Map(
      origins.map((origin) => [`${origin.field}\n${normal(String(origin.value))}`, origin]),
    ).values(),
  ]
  return {
    origins: once.slice(0, MOST) as unknown as Json,
    ...(once.length > MOST && { origins_left_out: once.length - MOST }),
  } // made of texts and numbers
}

/** In one sentence, for the person who decides. */
export function reasonOf(origins: readonly Origin[]): string {
  const parts = new Map<string, Set<string>>()
  const call = origins.find(({ field }) => field === 'call')
  for (const { field, from } of origins.filter((one) => one !== call)) {
    const where =
      from === 'unknown' ? 'from nowhere that is known' : `from a result of ${from.tool}`
    parts.set(where, (parts.get(where) ?? new Set()).add(field))
  }
  const values = [...parts]
    .map(
      ([where, fields]) =>
        `${[...fields].slice(0, 5).join(', ')} ${fields.size > 1 ? 'are' : 'is'} ${where}`,
    )
    .join('; ')
  if (!call) return `you did not say this yourself: ${values}`
  const read = call.from === 'unknown' ? 'untrusted content' : `a result of ${call.from.tool}`
  return `it writes, and ${read} has been read in this conversation`
}
