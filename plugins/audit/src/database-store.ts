import {
  type AuditDraft,
  type Database,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  sleep,
  tenantId,
  type TenantId,
} from '@amodal/sdk'
import { runQuery, type Selectable, type TypedStatement } from '@amodal/sdk/database'
import { type AuditLine, chained, EMPTY, type Head, type NewLine, once } from './line.ts'
import type { SealedHead } from './seal.ts'
import type { Sealing } from './sealing.ts'
import { ADD, BEGIN, HEAD, HEADS, KNOWN, LINES, LINES_OF, TENANTS } from './statements.ts'
import type { ChainStore, Range } from './store.ts'
import { wholeText } from './stored-text.ts'
import type { Tables } from './tables.ts'

/** Attempts to add a line while other processes add to the same chain. */
const TRIES = 40

/**
 * Chains in the database. A line can only follow the head it was made for: of two concurrent
 * writers, the second finds that the head has moved and rebuilds its lines. Without concurrent
 * writers, adding is one statement.
 */
export class DatabaseChains implements ChainStore {
  readonly #database: Database
  /** The heads as this process last read them. A stale one costs another attempt. */
  readonly #heads = new Map<TenantId, Head>()

  readonly #sealing: Sealing | undefined

  /** @param sealing signs what is added; without it nothing is signed */
  constructor(database: Database, sealing?: Sealing) {
    this.#database = database
    this.#sealing = sealing
  }

  async append(
    tenant: TenantId,
    drafts: readonly AuditDraft[],
    signal: AbortSignal,
  ): Promise<Result<readonly AuditLine[], Failure>> {
    let fresh = once(drafts)
    for (let tries = 0; tries < TRIES && fresh.length > 0; tries++) {
      const head = this.#heads.get(tenant) ?? EMPTY
      const lines = chained(head, fresh)
      const seal = this.#sealing?.seal(tenant, lines.at(-1) ?? head)
      if (seal && !seal.ok) return seal
      const added = await runQuery(this.#database, adding(tenant, head, lines, seal?.value), signal)
      const moved = added.ok
        ? added.value[0]?.moved === true
        : added.error.details?.['sqlstate'] !== UNIQUE_VIOLATION
      if (!added.ok && moved) return added
      if (moved) {
        const last = lines.at(-1)
        if (last) this.#heads.set(tenant, { n: last.n, hash: last.hash })
        return ok(lines)
      }
      // Another process added lines first, or an earlier attempt succeeded and its response was
      // lost.
      const seen = await this.#look(tenant, fresh, signal)
      if (!seen.ok) return seen
      fresh = once([...seen.value.found, ...fresh]).filter(({ key }) => !seen.value.keys.has(key))
      if (tries > 0) await sleep(Math.random() * 5 * 2 ** Math.min(tries, 6), signal)
    }
    return fresh.length === 0
      ? ok([])
      : err(
          failure(
            'STORE_FAILED',
            `the audit chain of "${tenant}" is being added to faster than this line could be`,
          ),
        )
  }

  async read(
    tenant: TenantId,
    { after = 0, session, limit }: Range,
    signal: AbortSignal,
  ): Promise<Result<readonly AuditLine[], Failure>> {
    const page = { tenant, after, limit }
    const statement = session === undefined ? LINES(page) : LINES_OF({ ...page, session })
    const rows = await runQuery(this.#database, statement, signal)
    return rows.ok ? ok(rows.value.map((row) => lineOf(tenant, row))) : rows
  }

  async head(tenant: TenantId, signal: AbortSignal): Promise<Result<SealedHead, Failure>> {
    const rows = await runQuery(this.#database, HEAD({ tenant }), signal)
    if (!rows.ok) return rows
    const [row] = rows.value
    return ok(row ? headOf(row) : { ...EMPTY, seal: undefined })
  }

  /** Of all chains. */
  async heads(signal: AbortSignal): Promise<Result<ReadonlyMap<TenantId, SealedHead>, Failure>> {
    const rows = await runQuery(this.#database, HEADS(), signal)
    return rows.ok
      ? ok(new Map(rows.value.map((row) => [tenantId(row.tenant), headOf(row)])))
      : rows
  }

  async tenants(signal: AbortSignal): Promise<Result<readonly TenantId[], Failure>> {
    const rows = await runQuery(this.#database, TENANTS(), signal)
    return rows.ok ? ok(rows.value.map(({ tenant }) => tenantId(tenant))) : rows
  }

  /** The head as it is now, what is wrong with it, and which of these are in the chain already. */
  async #look(
    tenant: TenantId,
    drafts: readonly AuditDraft[],
    signal: AbortSignal,
  ): Promise<Result<Looked, Failure>> {
    const head = await this.head(tenant, signal)
    if (!head.ok) return head
    const found = this.#sealing?.examine(tenant, head.value, this.#heads.get(tenant)) ?? []
    this.#heads.set(tenant, head.value)
    const all = [...found, ...drafts]
    const keys = all.map(({ key }) => key)
    const sessions = all.map(({ session }) => session ?? null)
    const rows = await runQuery(this.#database, KNOWN({ tenant, keys, sessions }), signal)
    return rows.ok ? ok({ found, keys: new Set(rows.value.map(({ key }) => key)) }) : rows
  }
}

interface Looked {
  readonly found: readonly AuditDraft[]
  readonly keys: ReadonlySet<string>
}

const UNIQUE_VIOLATION = '23505'

/** Moves the head and adds the lines, both or neither. */
function adding(
  tenant: TenantId,
  head: Head,
  lines: readonly NewLine[],
  seal: string | undefined,
): TypedStatement<{ moved: boolean }> {
  const { n, hash } = lines.at(-1) ?? head
  return {
    ...ADD({
      tenant,
      n,
      hash,
      seal: seal ?? null,
      fromN: head.n,
      fromHash: head.hash,
      ns: lines.map((line) => line.n),
      keys: lines.map(({ key }) => key),
      sessions: lines.map(({ session }) => session ?? null),
      bodies: lines.map(({ stored }) => stored),
      hashes: lines.map((line) => line.hash),
    }),
    ...(head.n === EMPTY.n && { before: [BEGIN({ tenant, ...EMPTY })] }),
  }
}

type HeadRow = Pick<Selectable<Tables['audit_head']>, 'n' | 'hash' | 'seal'>

export const headOf = ({ n, hash, seal }: HeadRow): SealedHead => ({
  n,
  hash,
  seal: seal ?? undefined,
})

type LineRow = Omit<Selectable<Tables['audit_line']>, 'tenant'>

const lineOf = (tenant: TenantId, { n, key, session, body, hash }: LineRow): AuditLine => ({
  n,
  key,
  session: session ?? undefined,
  body: wholeText(body, { tenant, n, key, session }),
  hash,
})
