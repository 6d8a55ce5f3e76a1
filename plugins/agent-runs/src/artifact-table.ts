import {
  failure,
  ok,
  err,
  sha256,
  timeLimit,
  type Database,
  type Failure,
  type Json,
  type JsonObject,
  type Lease,
  type Result,
  type SessionId,
  type TenantId,
} from '@amodal/sdk'
import { assertLease, runIn, runQuery, tenantDatabase } from '@amodal/sdk/database'
import { randomUUID } from 'node:crypto'
import {
  ADD_CONTENT,
  ADD_VERSION,
  ALL_OF_SESSION,
  BY_CALL,
  GET_NEWEST,
  GET_VERSION,
  NEWEST,
  OF_PRINCIPAL,
  OF_SESSION,
  VERSIONS,
} from './artifact-statements.ts'
import { ArtifactTooLarge } from './errors.ts'

/** ms for one statement. */
const QUERY_MS = 10_000
/** Artifacts of one run that are listed. */
const MOST_LISTED = 200

/** One version to write. What an update leaves out is that of the version before. */
export interface NewVersion {
  /** Left out: a new artifact. */
  readonly id?: string
  readonly session: SessionId
  readonly principal: string
  /** The same for every try of the call. */
  readonly callKey: string
  readonly type?: string
  readonly title?: string
  readonly tags?: readonly string[]
  readonly markdown?: string
  readonly json?: Json
  readonly citations: readonly JsonObject[]
}

export interface Written {
  readonly id: string
  readonly version: number
  readonly hash: string
}

interface Limits {
  readonly bytes: number
  readonly versions: number
}

/** Artifacts of all tenants: each version stays, and equal contents are kept once. */
export class ArtifactTable {
  readonly #database: Database
  readonly #limits: Limits

  constructor(database: Database, limits: Limits) {
    this.#database = database
    this.#limits = limits
  }

  /** Writes a version; the same call again changes nothing and answers with what it wrote. */
  async write(tenant: TenantId, made: NewVersion, lease: Lease): Promise<Result<Written, Failure>> {
    const content = contentOf(made)
    if (content.bytes > this.#limits.bytes)
      return err(
        ArtifactTooLarge(`it has ${content.bytes} bytes, and may have ${this.#limits.bytes}`),
      )
    let refused: Failure | undefined
    const written = await this.#of(tenant).transaction(async (run): Promise<Written> => {
      refused = undefined // of a try before
      const [earlier] = await runIn(run, BY_CALL({ callKey: made.callKey }))
      if (earlier) return earlier
      const id = made.id ?? `art_${randomUUID().replaceAll('-', '').slice(0, 24)}`
      const [before] = await runIn(run, NEWEST({ id, principal: made.principal }))
      refused = this.#refusal(made, before?.version ?? 0)
      if (refused) throw new Error(refused.message)
      const version = (before?.version ?? 0) + 1
      await runIn(run, ADD_CONTENT(content))
      await runIn(
        run,
        ADD_VERSION({
          id,
          version,
          session: made.session,
          principal: made.principal,
          callKey: made.callKey,
          type: made.type ?? before?.type ?? 'document',
          title: made.title ?? before?.title ?? '',
          tags: made.tags ?? before?.tags ?? [],
          citations: JSON.stringify(made.citations),
          hash: content.hash,
        }),
      )
      assertLease(lease)
      return { id, version, hash: content.hash }
    }, this.#limit())
    return refused ? err(refused) : written
  }

  /** @param version the newest where it is left out */
  async find(tenant: TenantId, id: string, version?: number) {
    const query = version === undefined ? GET_NEWEST({ id }) : GET_VERSION({ id, version })
    const rows = await runQuery(this.#of(tenant), query, this.#limit())
    return rows.ok ? ok(rows.value[0]) : rows
  }

  /** The newest first. */
  versions(tenant: TenantId, id: string) {
    return runQuery(this.#of(tenant), VERSIONS({ id }), this.#limit())
  }

  /** Of each artifact the last version that a session wrote, the newest first. */
  ofSession(tenant: TenantId, session: string) {
    const query = ALL_OF_SESSION({ session, limit: MOST_LISTED })
    return runQuery(this.#of(tenant), query, this.#limit())
  }

  /** Of each artifact of a principal the last version, the newest first. */
  ofPrincipal(
    tenant: TenantId,
    principal: string,
    { type, limit }: { readonly type: string | undefined; readonly limit: number },
  ) {
    const query = OF_PRINCIPAL({ principal, type: type ?? null, limit })
    return runQuery(this.#of(tenant), query, this.#limit())
  }

  /** The artifact that a session wrote last. */
  async lastOf(tenant: TenantId, session: string): Promise<Result<string | undefined, Failure>> {
    const rows = await runQuery(this.#of(tenant), OF_SESSION({ session }), this.#limit())
    return rows.ok ? ok(rows.value[0]?.id) : rows
  }

  #refusal({ id }: NewVersion, versions: number): Failure | undefined {
    if (id !== undefined && versions === 0)
      return failure('NOT_FOUND', `there is no artifact "${id}": create it first`)
    return versions < this.#limits.versions
      ? undefined
      : ArtifactTooLarge(`it has ${versions} versions, and may have no more`)
  }

  #of(tenant: TenantId) {
    return tenantDatabase(this.#database, tenant)
  }

  #limit(): AbortSignal {
    return timeLimit(QUERY_MS, 'a statement on artifacts')
  }
}

export type ArtifactRow = NonNullable<
  Extract<Awaited<ReturnType<ArtifactTable['find']>>, { ok: true }>['value']
>

function contentOf({ markdown, json }: NewVersion) {
  const text = json === undefined ? null : JSON.stringify(json)
  return {
    markdown: markdown ?? null,
    json: text,
    bytes: Buffer.byteLength(markdown ?? '') + Buffer.byteLength(text ?? ''),
    hash: sha256(JSON.stringify([markdown ?? null, text])),
  }
}
