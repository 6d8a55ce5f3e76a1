import {
  err,
  ok,
  timeLimit,
  type Failure,
  type PrincipalId,
  type Result,
  type SessionId,
  type TenantDatabase,
} from '@amodal/sdk'
import { runIn, runQuery } from '@amodal/sdk/database'
import { AssetsFull } from './errors.ts'
import type { Claim, NewClaim, AssetRecords } from './asset-records.ts'
import {
  ADD_CHUNK,
  ADD_CONTENT,
  CHUNKS,
  CLAIM,
  CLAIM_OF,
  DROP_UNCLAIMED,
  HELD_BY,
  HOLD,
  LET_GO,
  LOCK,
  NEWEST_CLAIM,
  RELEASE,
  TOTAL,
} from './statements.ts'

/** Bytes of one row. */
export const CHUNK_BYTES = 512 * 1_024
/** ms for one file. */
const WRITE_MS = 30_000

/** Files of one tenant in the database. */
export class DatabaseRecords implements AssetRecords {
  readonly #database: TenantDatabase
  readonly #maxBytes: number

  constructor(database: TenantDatabase, maxBytes: number) {
    this.#database = database
    this.#maxBytes = maxBytes
  }

  async put(
    principal: PrincipalId,
    claim: NewClaim,
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>> {
    const { asset } = claim
    let full: Failure | undefined
    const put = await this.#database.transaction(
      async (run) => {
        full = undefined // of a try before
        const [added] = await runIn(run, ADD_CONTENT({ asset, bytes: bytes.byteLength }))
        if (added?.fresh) {
          const [total] = await runIn(run, TOTAL())
          if ((total?.bytes ?? 0) > this.#maxBytes) {
            full = AssetsFull(
              `${(total?.bytes ?? 0) - bytes.byteLength} of ${this.#maxBytes} bytes are taken (maxTenantBytes)`,
            )
            throw new Error(full.message)
          }
          for (let n = 0; n * CHUNK_BYTES < bytes.byteLength; n++)
            await runIn(
              run,
              ADD_CHUNK({ asset, n, data: bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES) }),
            )
        }
        await runIn(run, CLAIM({ ...claim, principal }))
      },
      timeLimit(WRITE_MS, 'keeping a file', signal),
    )
    if (full) return err(full)
    return put.ok ? ok(undefined) : put
  }

  async claim(
    asset: string,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): Promise<Result<Claim | undefined, Failure>> {
    const query = principal === undefined ? NEWEST_CLAIM({ asset }) : CLAIM_OF({ asset, principal })
    const rows = await runQuery(this.#database, query, signal)
    if (!rows.ok) return rows
    const [row] = rows.value
    return ok(
      row && {
        asset: row.asset,
        mediaType: row.media_type,
        bytes: row.bytes,
        name: row.name,
        usedAt: row.used_at.getTime(),
      },
    )
  }

  async bytes(
    asset: string,
    signal: AbortSignal,
  ): Promise<Result<Uint8Array | undefined, Failure>> {
    const rows = await runQuery(this.#database, CHUNKS({ asset }), signal)
    if (!rows.ok) return rows
    return ok(
      rows.value.length === 0 ? undefined : Buffer.concat(rows.value.map(({ data }) => data)),
    )
  }

  hold(
    claims: readonly NewClaim[],
    { principal, session }: { readonly principal: PrincipalId; readonly session: SessionId },
    signal: AbortSignal,
  ): Promise<Result<readonly string[], Failure>> {
    return this.#database.transaction(async (run) => {
      const locked = await runIn(run, LOCK({ assets: claims.map(({ asset }) => asset) }))
      const there = new Set(locked.map(({ asset }) => asset))
      for (const claim of claims.filter(({ asset }) => there.has(asset))) {
        await runIn(run, CLAIM({ ...claim, principal }))
        await runIn(run, HOLD({ asset: claim.asset, session, principal }))
      }
      return claims.flatMap(({ asset }) => (there.has(asset) ? [] : [asset]))
    }, signal)
  }

  release(
    asset: string,
    principal: PrincipalId,
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>> {
    return this.#database.transaction(async (run) => {
      await runIn(run, LOCK({ assets: [asset] }))
      const released = await runIn(run, RELEASE({ asset, principal }))
      await runIn(run, DROP_UNCLAIMED({ assets: [asset] }))
      return released.length > 0
    }, signal)
  }

  async forget(session: SessionId, signal: AbortSignal): Promise<Result<void, Failure>> {
    const done = await this.#database.transaction(async (run) => {
      const held = (await runIn(run, HELD_BY({ session }))).map(({ asset }) => asset)
      if (held.length === 0) return
      await runIn(run, LOCK({ assets: held }))
      await runIn(run, LET_GO({ session }))
      await runIn(run, DROP_UNCLAIMED({ assets: held }))
    }, signal)
    return done.ok ? ok(undefined) : done
  }
}
