/**
 * Recognises the journal's statements where they pass: by their text, and by the rows they carry.
 */

import type { Statement } from '@amodal/sdk'
import type { StatementKind } from './control.ts'

/** One session's part of a statement. */
export interface Part {
  readonly session: string
  /** Repeating a statement repeats its key. */
  readonly key: string
  /** Kinds of what is written: `message`, or `user_message model_reply tool_intent`. */
  readonly wrote: string
  /** The text in which a marker may stand. */
  readonly text: string
}

export interface Seen {
  readonly kind: StatementKind
  readonly parts: readonly Part[]
}

const MARKS: readonly (readonly [kind: StatementKind, mark: RegExp])[] = [
  ['commit', /insert into sessions_journal/],
  ['accept', /insert into sessions_inbox/],
  ['renew', /^\s*with held [^]*update sessions_lane r set lease_until = case/],
  ['takeover', /skip locked[^]*update sessions_lane/],
]

/**
 * What a statement is to the journal; `undefined` where it is nothing that a point may stand at.
 */
export function recognise({ sql, parameters }: Statement): Seen | undefined {
  const kind = MARKS.find(([, mark]) => mark.test(sql))?.[0]
  if (!kind) return undefined
  const [first] = parameters
  return {
    kind,
    parts: kind === 'takeover' || typeof first !== 'string' ? [] : rowsOf(first).map(partOf),
  }
}

interface Row {
  readonly session: string
  readonly key?: string
  /** Of what is accepted or committed. */
  readonly body?: string
  /** Of a commit: how many the body has, with the record separator between them. */
  readonly entries?: number
}

// made by the plugin `sessions`
const rowsOf = (json: string): readonly Row[] => JSON.parse(json) as readonly Row[]

function partOf({ session, key = '', body, entries }: Row): Part {
  const written = body === undefined || entries === 0 ? [] : body.split('\u001e')
  const text = entries === undefined ? (body ?? '') : ''
  return { session, key, wrote: written.map(kindOf).join(' '), text }
}

// entries and inbox items both have one
const kindOf = (body: string): string => (JSON.parse(body) as { readonly kind: string }).kind
