import { type AuditDraft, canonical, type JsonObject, sha256 } from '@amodal/sdk'
import { storedText } from './stored-text.ts'

/** The hash that the first line of a chain follows. */
export const GENESIS = sha256('amodal audit chain, version 1')

/**
 * One line of a tenant's chain. `body` is what is hashed: canonical JSON (RFC 8785) of all that the
 * line says.
 */
export interface AuditLine {
  readonly n: number
  readonly key: string
  readonly session: string | undefined
  readonly body: string
  readonly hash: string
}

/** A line that is to be added, with its text as the database stores it. */
export interface NewLine extends AuditLine {
  readonly stored: string
}

/** The end of a chain. */
export interface Head {
  readonly n: number
  readonly hash: string
}
export const EMPTY: Head = { n: 0, hash: GENESIS }

export const hashOfLine = (previous: string, body: string): string => sha256(`${previous}\n${body}`)

/** The lines that continue a chain. */
export function chained({ n, hash }: Head, drafts: readonly AuditDraft[]): readonly NewLine[] {
  let previous = hash
  return drafts.map((draft, index) => {
    const place = n + index + 1
    const said = bodyOf(draft, place)
    const body = canonical(said)
    previous = hashOfLine(previous, body)
    const { key, session } = draft
    return { n: place, key, session, body, hash: previous, stored: storedText(said) }
  })
}

function bodyOf(
  { tenant, key, kind, at, principal, session, run, data = {} }: AuditDraft,
  n: number,
): JsonObject {
  return {
    v: 1,
    n,
    tenant,
    key,
    kind,
    at: new Date(at).toISOString(),
    data,
    ...(principal === undefined ? {} : { principal }),
    ...(session === undefined ? {} : { session }),
    ...(run === undefined ? {} : { run }),
  }
}

/** Each fact once: what is live and what is caught up with may travel together. */
export function once(drafts: readonly AuditDraft[]): readonly AuditDraft[] {
  const seen = new Set<string>()
  return drafts.filter(({ key }) => !seen.has(key) && seen.add(key))
}
