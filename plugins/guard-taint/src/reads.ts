import type { Action, PreparedCall } from '@amodal/sdk'
import type { Source } from './corpus.ts'
import { belowBase } from './chosen.ts'
import { namedBy } from './named.ts'
import { originOf, type Origin } from './origin.ts'
import { sourceOf, spellings } from './trusted-value.ts'
import type { Known } from './taint.ts'
import { copiedFrom, textsIn, type Text } from './copied-text.ts'

/** Characters without a space that are no word any more. */
const OPAQUE = 64

/**
 * Data that a read would exfiltrate. A web address has to occur verbatim in the conversation: a
 * composed one may hold any data. A read of a connection may not carry a long text from another
 * source, and no text at all if untrusted content names the endpoint.
 *
 * @param longest characters of text that are no long text yet; 0: texts are not looked at
 */
export function carriedOut(call: PreparedCall, known: Known, longest: number): readonly Origin[] {
  const { action, args } = call
  if (!action) return []
  if (action.protocol === 'web' && isGiven(action.path, args)) {
    const {
      own,
      session: { person },
    } = known
    const read =
      spellings(action.path).some(
        (one) => person.find(one) !== undefined || own.find(one) !== undefined,
      ) || sourceOf(action.path, known) !== undefined
    return read ? [] : [originOf({ field: 'url', value: action.path }, nearest(action.path, known))]
  }
  if (longest === 0) return []
  const carried = textsOf(action).flatMap(({ field, value }) => {
    const source = copiedFrom(value, known, action.connection)
    return source || isOpaque(value, known) ? [{ field, value, source }] : []
  })
  const isLong = carried.some(({ value }) => value.length >= longest)
  const named = carried.length > 0 && !isLong ? namedBy(call, known) : undefined
  if (!isLong && !named) return []
  return [
    ...(named ? [named] : []),
    ...carried.map(({ source, ...text }) => originOf(text, source)),
  ]
}

/** The model named the address; that of a search engine stands in the configuration. */
const isGiven = (path: string, args: PreparedCall['args']): boolean =>
  Object.values(args).some(
    (value) => typeof value === 'string' && URL.parse(value)?.href.replace(/#.*$/s, '') === path,
  )

/** A result that names the host, for an address that nobody has. */
function nearest(address: string, known: Known): Source | undefined {
  const host = URL.parse(address)?.hostname
  return host === undefined ? undefined : sourceOf(host, known)
}

function textsOf({ path, base, query, headers, body }: Action): readonly Text[] {
  return [
    ...belowBase(path, base)
      .split('/')
      .map((value) => ({ field: 'path', value })),
    ...Object.entries(query).flatMap(([name, values]) =>
      values.map((value) => ({ field: `query.${name}`, value })),
    ),
    ...Object.entries(headers).map(([name, value]) => ({ field: `headers.${name}`, value })),
    ...(body === undefined ? [] : textsIn(body, 'body')),
  ]
}

/** Nobody can read it, and nobody has said or read it: what is in it may be from anywhere. */
function isOpaque(text: string, { own, session: { person, outside } }: Known): boolean {
  return (
    !outside.isEmpty &&
    text
      .split(/\s+/)
      .some(
        (word) =>
          word.length >= OPAQUE && !outside.find(word) && !person.find(word) && !own.find(word),
      )
  )
}
