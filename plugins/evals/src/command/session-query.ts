import {
  err,
  ok,
  type Failure,
  type Result,
  type SessionId,
  type SessionRow,
  type SessionStore,
  type TenantId,
} from '@amodal/sdk'
import { ofKind, type ReadJournal } from '../replay/recording.ts'

/** Which sessions of a tenant are meant. */
export interface SessionQuery {
  /** ms since the epoch: sessions that were used since. */
  readonly since: number | undefined
  /** All of them. */
  readonly tags: readonly string[]
  /** Each of them in the title or in a message of the user; lower case. */
  readonly words: readonly string[]
}

export const QUERY_FORM =
  'all, words of the title or of a message, since=7d or since=2026-11-01, automation or automation=NAME, tag=NAME; several, with spaces between'

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const PAGE = 200
/** As many are looked at. */
const MOST_LOOKED_AT = 5_000

/**
 * Reads which sessions are meant.
 *
 * @param now ms since the epoch
 * @returns the query, or what is wrong with it
 *
 * @example
 * parseQuery('refund since=7d automation', Date.now())
 */
export function parseQuery(text: string, now: number): Result<SessionQuery, string> {
  let since: number | undefined
  const [tags, words]: [string[], string[]] = [[], []]
  for (const term of text.split(/\s+/).filter((one) => one !== '')) {
    const [, name, value] = /^(since|automation|tag)=(.+)$/s.exec(term) ?? []
    if (name === 'since') {
      since = sinceOf(value ?? '', now)
      if (since === undefined)
        return err(`"${term}": write since=7d, since=12h, since=30m, or a day such as 2026-11-01`)
    } else if (name === 'automation') tags.push(`automation:${value ?? ''}`)
    else if (name === 'tag') tags.push(value ?? '')
    else if (term === 'automation') tags.push('automation')
    else if (/^[a-z]+=/.test(term)) return err(`"${term}" is not known: write ${QUERY_FORM}`)
    else if (term !== 'all') words.push(term.toLowerCase())
  }
  return text.trim() === '' ? err(`it is empty: write ${QUERY_FORM}`) : ok({ since, tags, words })
}

function sinceOf(text: string, now: number): number | undefined {
  const [, count, unit] = /^(\d+)([mhd])$/.exec(text) ?? []
  if (count !== undefined) return now - Number(count) * (UNITS[unit ?? ''] ?? 0)
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? undefined : at
}

/**
 * The sessions that a query means, those that were used last first. Those of sub-agents are not
 * among them.
 */
export async function findSessions(
  store: SessionStore,
  tenant: TenantId,
  query: SessionQuery,
  { limit, read, signal }: { limit: number; read: ReadJournal; signal: AbortSignal },
): Promise<Result<readonly SessionId[], Failure>> {
  const found: SessionId[] = []
  let [cursor, seen]: [string | undefined, number] = [undefined, 0]
  do {
    const page = { limit: PAGE, tags: query.tags, ...(cursor !== undefined && { cursor }) }
    const listed = await store.list(tenant, page, signal)
    if (!listed.ok) return listed
    for (const row of listed.value.rows) {
      if (query.since !== undefined && row.updatedAt < query.since) continue
      const fits = await hasWords(row, query.words, read)
      if (!fits.ok) return fits
      if (fits.value) found.push(row.session)
      if (found.length === limit) return ok(found)
    }
    cursor = listed.value.next
    seen += listed.value.rows.length
  } while (cursor !== undefined && seen < MOST_LOOKED_AT)
  return ok(found)
}

async function hasWords(
  { session, title }: SessionRow,
  words: readonly string[],
  read: ReadJournal,
): Promise<Result<boolean, Failure>> {
  const missing = words.filter((word) => !title.toLowerCase().includes(word))
  if (missing.length === 0) return ok(true)
  const journal = await read(session)
  if (!journal.ok) return journal
  const text = ofKind(journal.value, 'user_message')
    .map((message) => message.text.toLowerCase())
    .join('\n')
  return ok(missing.every((word) => text.includes(word)))
}
