import { assertLease, keyedWrite, runIn, runQuery } from '@amodal/sdk/database'
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
import { CHARS, LIST, LOCK, PUT, REMOVE } from './statements.ts'

type Documents = readonly KnowledgeDocument[]

/**
 * Documents in the database that one tenant has approved; other tenants do not get them.
 */
export class TenantShelf implements Shelf {
  readonly scope = 'tenant'
  readonly #cache: LastRead<Documents>
  readonly #maxChars: number

  /** @param maxChars of all documents of a tenant together */
  constructor(maxChars: number, elsewhere: ReadElsewhere) {
    this.#maxChars = maxChars
    this.#cache = new LastRead(elsewhere)
  }

  listen(): (() => void) | undefined {
    return this.#cache.listen()
  }

  /** By name, so that the same documents give the same prompt. */
  list({
    scope,
    tenant,
    signal,
  }: Pick<RunContext, 'scope' | 'tenant' | 'signal'>): Promise<Result<Documents, Failure>> {
    return this.#cache.get(tenant, async () => {
      const rows = await runQuery(scope.get(TenantDatabase), LIST(), signal)
      if (!rows.ok) return rows
      return ok(
        rows.value.map(({ name, title, body, category }) => ({
          name,
          title,
          body,
          file: `knowledge/${name}.md`,
          ...(category !== null && { tags: [category] }),
        })),
      )
    })
  }

  /** Includes the agent's own documents: the tenant's follows in the prompt and overrides them. */
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
          await runIn(run, LOCK({ tenant }))
          const [row] = await runIn(run, CHARS({ name }))
          const chars = (row?.chars ?? 0) + title.length + body.length
          if (chars > this.#maxChars) return chars
          await runIn(run, PUT({ name, title, body, category: category ?? null, session }))
          assertLease(lease)
          return 0
        }, signal),
      signal,
    )
    this.#cache.changed(tenant)
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
      (isRetry) =>
        scope.get(TenantDatabase).transaction(async (run) => {
          const rows = await runIn(run, REMOVE({ name }))
          assertLease(lease)
          return rows.length > 0 || isRetry
        }, signal),
      signal,
    )
    this.#cache.changed(tenant)
    return removed
  }
}
