import {
  ok,
  type Failure,
  type PrincipalId,
  type Result,
  type SessionId,
  type TenantDatabase,
} from '@amodal/sdk'
import { runIn, runQuery } from '@amodal/sdk/database'
import type { Claim, NewClaim, AssetRecords } from './asset-records.ts'
import { readOutside } from './outside-bytes.ts'
import { putFile, type FilePlaces } from './put-file.ts'
import {
  CHUNKS,
  CLAIM,
  CLAIM_OF,
  CONTENT,
  DROP_UNCLAIMED,
  HELD_BY,
  HOLD,
  LET_GO,
  LOCK,
  NEWEST_CLAIM,
  RELEASE,
} from './statements.ts'

/** Files of one tenant: claims and holds in the database, bytes there or outside of it. */
export class DatabaseRecords implements AssetRecords {
  readonly #places: FilePlaces
  readonly #database: TenantDatabase

  constructor(places: FilePlaces) {
    this.#places = places
    this.#database = places.database
  }

  put(
    principal: PrincipalId,
    claim: NewClaim,
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>> {
    return putFile({ principal, claim, bytes }, this.#places, signal)
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
    const content = await runQuery(this.#database, CONTENT({ asset }), signal)
    if (!content.ok) return content
    const { tenant, outside } = this.#places
    if (content.value[0]?.outside) return readOutside({ tenant, asset }, outside, signal)
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
