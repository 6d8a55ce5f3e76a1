import { type Failure, type JsonObject, ok, type Result, type TenantId } from '@amodal/sdk'
import { readBody } from './chain-walk.ts'
import type { AuditLine } from './line.ts'
import type { ChainStore } from './store.ts'

/** Lines that are read at once, and reads for one page: a filter that finds nothing ends too. */
const BLOCK = 1_000
const MOST_BLOCKS = 20

export interface AuditFilter {
  readonly event?: string | undefined
  readonly session?: string | undefined
  readonly principal?: string | undefined
}

export interface AuditQuery extends AuditFilter {
  readonly limit: number
  /** The `next` of the page before. */
  readonly before: number | undefined
}

/** A line with what it says; `undefined` for the text of one that was erased or is damaged. */
export interface ReadLine {
  readonly n: number
  readonly content: JsonObject | undefined
}

export interface AuditPage {
  /** The newest first. */
  readonly lines: readonly ReadLine[]
  /**
   * Where the next page begins; a page with a filter may have fewer lines than it could, and go on
   * nevertheless.
   */
  readonly next: number | undefined
}

/** Lines of a chain from the newest one on. */
export async function auditPage(
  store: ChainStore,
  tenant: TenantId,
  query: AuditQuery,
  signal: AbortSignal,
): Promise<Result<AuditPage, Failure>> {
  const head = await store.head(tenant, signal)
  if (!head.ok) return head
  let before = query.before ?? head.value.n + 1
  const found: ReadLine[] = []
  for (let block = 0; block < MOST_BLOCKS && before > 1 && found.length <= query.limit; block++) {
    const after = Math.max(0, before - 1 - BLOCK)
    const lines = await linesBetween(store, tenant, { after, before }, signal)
    if (!lines.ok) return lines
    found.push(...lines.value.map(readLine).filter((line) => matches(line, query)))
    before = after + 1
  }
  const shown = found.slice(0, query.limit)
  const last = shown.at(-1)
  const hasMore = found.length > shown.length
  const rest = before > 1 ? before : undefined
  return ok({ lines: shown, next: hasMore && last ? last.n : rest })
}

/** Lines between two places, the newest first; where some are missing, fewer. */
async function linesBetween(
  store: ChainStore,
  tenant: TenantId,
  { after, before }: { readonly after: number; readonly before: number },
  signal: AbortSignal,
): Promise<Result<readonly AuditLine[], Failure>> {
  const lines = await store.read(tenant, { after, limit: BLOCK }, signal)
  return lines.ok ? ok(lines.value.filter(({ n }) => n < before).toReversed()) : lines
}

const readLine = ({ n, body }: AuditLine): ReadLine => ({
  n,
  content: body === '' ? undefined : readBody(body),
})

function matches({ content }: ReadLine, { event, session, principal }: AuditFilter): boolean {
  if (event === undefined && session === undefined && principal === undefined) return true
  return (
    content !== undefined &&
    (event === undefined || content['kind'] === event) &&
    (session === undefined || content['session'] === session) &&
    (principal === undefined || content['principal'] === principal)
  )
}
