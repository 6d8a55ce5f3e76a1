import {
  type AuditDraft,
  type Database,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type Row,
  sleep,
  type Statement,
  tenantId,
  type TenantId,
} from '@amodal/sdk'
import { type AuditLine, chained, EMPTY, type Head, once } from './line.ts'
import type { SealedHead } from './seal.ts'
import type { Sealing } from './sealing.ts'
import type { ChainStore, Range } from './store.ts'

/** How often a line is tried again where others add to the same chain at the same time. */
const TRIES = 40

/**
 * Chains in the database. A line can only follow the head it was made for: whoever comes second
 * finds the head moved, and makes its lines anew. Alone on a chain, adding is one statement.
 */
export class DatabaseChains implements ChainStore {
  readonly #database: Database
  /** The heads as this process saw them last. A wrong one costs another try. */
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
      const added = await this.#database.run(adding(tenant, head, lines, seal?.value), signal)
      const moved = added.ok
        ? added.value[0]?.['moved'] === true
        : added.error.details?.['sqlstate'] !== UNIQUE_VIOLATION
      if (!added.ok && moved) return added
      if (moved) {
        const last = lines.at(-1)
        if (last) this.#heads.set(tenant, { n: last.n, hash: last.hash })
        return ok(lines)
      }
      // Others came first, or this was added before and its answer got lost.
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
    const only = session === undefined ? '' : ' and session = $4'
    const rows = await this.#database.run(
      {
        sql: `select n, key, session, body, hash from audit_line where tenant = $1 and n > $2${only} order by n limit $3`,
        parameters: [tenant, after, limit, ...(session === undefined ? [] : [session])],
      },
      signal,
    )
    return rows.ok ? ok(rows.value.map(lineOf)) : rows
  }

  async head(tenant: TenantId, signal: AbortSignal): Promise<Result<SealedHead, Failure>> {
    const rows = await this.#database.run(
      { sql: 'select n, hash, seal from audit_head where tenant = $1', parameters: [tenant] },
      signal,
    )
    if (!rows.ok) return rows
    const [row] = rows.value
    return ok(row ? headOf(row) : { ...EMPTY, seal: undefined })
  }

  /** Of all chains. */
  async heads(signal: AbortSignal): Promise<Result<ReadonlyMap<TenantId, SealedHead>, Failure>> {
    const rows = await this.#database.run(
      { sql: 'select tenant, n, hash, seal from audit_head', parameters: [] },
      signal,
    )
    return rows.ok
      ? ok(new Map(rows.value.map((row) => [tenantId(String(row['tenant'])), headOf(row)])))
      : rows
  }

  async tenants(signal: AbortSignal): Promise<Result<readonly TenantId[], Failure>> {
    const rows = await this.#database.run(
      {
        sql: 'select tenant from audit_head union select tenant from audit_line order by tenant',
        parameters: [],
      },
      signal,
    )
    return rows.ok ? ok(rows.value.map(({ tenant }) => tenantId(String(tenant)))) : rows
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
    const rows = await this.#database.run(
      {
        sql: 'select key from audit_line where tenant = $1 and key in (select unnest($2::text[]))',
        parameters: [tenant, [...found, ...drafts].map(({ key }) => key)],
      },
      signal,
    )
    return rows.ok ? ok({ found, keys: new Set(rows.value.map(({ key }) => String(key))) }) : rows
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
  lines: readonly AuditLine[],
  seal: string | undefined,
): Statement {
  const last = lines.at(-1) ?? head
  return {
    ...(head.n === EMPTY.n && {
      before: [
        {
          sql: 'insert into audit_head(tenant, n, hash) values ($1, $2, $3) on conflict (tenant) do nothing',
          parameters: [tenant, EMPTY.n, EMPTY.hash],
        },
      ],
    }),
    sql: `
with moved as (update audit_head set n = $2, hash = $3, seal = $7 where tenant = $1 and n = $4 and hash = $5 returning 1),
added as (
  insert into audit_line(tenant, n, key, session, body, hash)
  select $1, line.n, line.key, line.session, line.body, line.hash
  from unnest($6::bigint[], $8::text[], $9::text[], $10::text[], $11::text[]) as line(n, key, session, body, hash) where exists (select from moved) returning 1)
select count(*) > 0 as moved from added`,
    parameters: [
      tenant,
      last.n,
      last.hash,
      head.n,
      head.hash,
      lines.map(({ n }) => n),
      seal ?? null,
      lines.map(({ key }) => key),
      lines.map(({ session }) => session ?? null),
      lines.map(({ body }) => body),
      lines.map(({ hash }) => hash),
    ],
  }
}

const headOf = ({ n, hash, seal }: Row): SealedHead => ({
  n: Number(n),
  hash: String(hash),
  seal: typeof seal === 'string' ? seal : undefined,
})

const lineOf = ({ n, key, session, body, hash }: Row): AuditLine => ({
  n: Number(n),
  key: String(key),
  session: typeof session === 'string' ? session : undefined,
  body: String(body),
  hash: String(hash),
})
