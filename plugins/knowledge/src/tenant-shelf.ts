import { assertLease, keyedWrite } from '@amodal/sdk/database'
import {
  err,
  failure,
  LastRead,
  ok,
  TenantDatabase,
  type Failure,
  type KnowledgeDocument,
  type ReadElsewhere,
  type Result,
  type RunContext,
  type ToolContext,
} from '@amodal/sdk'
import type { Proposed, Shelf } from './shelf.ts'

type Documents = readonly KnowledgeDocument[]

/**
 * Documents in the database that one tenant has approved for itself; nobody else's agent goes by
 * them.
 */
export class TenantShelf implements Shelf {
  readonly scope = 'tenant'
  readonly #kept: LastRead<Documents>
  readonly #maxChars: number

  /** @param maxChars of all documents of a tenant together */
  constructor(maxChars: number, elsewhere: ReadElsewhere) {
    this.#maxChars = maxChars
    this.#kept = new LastRead(elsewhere)
  }

  listen(): (() => void) | undefined {
    return this.#kept.listen()
  }

  /** By name, so that the same documents give the same prompt. */
  list({
    scope,
    tenant,
    signal,
  }: Pick<RunContext, 'scope' | 'tenant' | 'signal'>): Promise<Result<Documents, Failure>> {
    return this.#kept.get(tenant, async () => {
      const rows = await scope.get(TenantDatabase).run(
        {
          sql: 'select name, title, body, category from knowledge_document order by name collate "C"',
          parameters: [],
        },
        signal,
      )
      if (!rows.ok) return rows
      return ok(
        rows.value.map(({ name, title, body, category }) => ({
          name: String(name),
          title: String(title),
          body: String(body),
          file: `knowledge/${String(name)}.md`,
          ...(typeof category === 'string' && { tags: [category] }),
        })),
      )
    })
  }

  /** Also where it is the agent's own: the tenant's stands behind it, and is the newer one. */
  async has(name: string, ctx: RunContext): Promise<boolean> {
    const listed = await this.list(ctx)
    return (
      !listed.ok ||
      [...listed.value, ...ctx.bundle.knowledge].some((document) => document.name === name)
    )
  }

  async put(
    { name, title, body, category }: Proposed,
    { scope, session, signal, tenant, lease }: ToolContext,
  ): Promise<Result<void, Failure>> {
    const written = await keyedWrite(
      () =>
        scope.get(TenantDatabase).transaction(async (run) => {
          await run({
            sql: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
            parameters: [`knowledge:${tenant}`],
          })
          const [row] = await run({
            sql: 'select coalesce(sum(length(title) + length(body)), 0)::int as chars from knowledge_document where name <> $1',
            parameters: [name],
          })
          const chars = Number(row?.['chars'] ?? 0) + title.length + body.length
          if (chars > this.#maxChars) return chars
          await run({
            sql: `insert into knowledge_document(name, title, body, category, approved_in) values ($1, $2, $3, $4, $5)
          on conflict (tenant, name) do update set title = excluded.title, body = excluded.body, category = excluded.category, approved_in = excluded.approved_in, at = excluded.at`,
            parameters: [name, title, body, category ?? null, session],
          })
          assertLease(lease)
          return 0
        }, signal),
      signal,
    )
    this.#kept.changed(tenant)
    if (!written.ok) return written
    return written.value === 0
      ? ok(undefined)
      : err(
          failure(
            'TOO_LARGE',
            `with this document there would be ${written.value} characters, and ${this.#maxChars} are the most: shorten it, or propose to remove another one`,
          ),
        )
  }

  async remove(
    name: string,
    { scope, signal, tenant, lease }: ToolContext,
  ): Promise<Result<boolean, Failure>> {
    const removed = await keyedWrite(
      (again) =>
        scope.get(TenantDatabase).transaction(async (run) => {
          const rows = await run({
            sql: 'delete from knowledge_document where name = $1 returning 1 as one',
            parameters: [name],
          })
          assertLease(lease)
          return rows.length > 0 || again
        }, signal),
      signal,
    )
    this.#kept.changed(tenant)
    return removed
  }
}
