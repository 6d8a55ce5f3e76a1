import {
  err,
  ok,
  type PrincipalId,
  type SessionId,
  type SessionRef,
  type TenantId,
} from '@amodal/sdk'
import { AssetsFull } from './errors.ts'
import type { Retention } from './statements.ts'
import type { Claim, NewClaim, AssetRecords } from './asset-records.ts'

interface StoredFile {
  readonly bytes: Uint8Array
  /** By their principals. */
  readonly claims: Map<PrincipalId, Claim>
  /** By the sessions that hold it: for whom, and since when in ms since the epoch. */
  readonly sessions: Map<SessionId, { readonly principal: PrincipalId; readonly at: number }>
}

/** Files in the memory of this process, lost when it ends. */
export class MemoryRecords {
  readonly #tenants = new Map<TenantId, Map<string, StoredFile>>()
  readonly #maxBytes: number
  readonly #now: () => number

  constructor(maxBytes: number, now: () => number) {
    this.#maxBytes = maxBytes
    this.#now = now
  }

  of(tenant: TenantId): AssetRecords {
    const stored = this.#tenants.get(tenant) ?? new Map<string, StoredFile>()
    this.#tenants.set(tenant, stored)
    return records(stored, this.#maxBytes, this.#now)
  }

  /** Sessions that have held a file since before this time. */
  holders(before: number): readonly SessionRef[] {
    return [...this.#tenants].flatMap(([tenant, stored]) => {
      const held = [...stored.values()].flatMap(({ sessions }) =>
        [...sessions].flatMap(([session, { at }]) => (at < before ? [session] : [])),
      )
      return [...new Set(held)].map((session) => ({ tenant, session }))
    })
  }

  /** Removes the claims whose time is over, and files without a claim. */
  clean(now: number, { unusedMs, maxMs }: Retention): void {
    for (const stored of this.#tenants.values())
      for (const [asset, { claims, sessions }] of stored) {
        const held = new Set([...sessions.values()].map(({ principal }) => principal))
        for (const [principal, { usedAt }] of claims) {
          const age = now - usedAt
          const isOver = (maxMs !== null && age > maxMs) || (age > unusedMs && !held.has(principal))
          if (isOver) claims.delete(principal)
        }
        if (claims.size === 0) stored.delete(asset)
      }
  }

  clear(): void {
    this.#tenants.clear()
  }
}

function records(
  stored: Map<string, StoredFile>,
  maxBytes: number,
  now: () => number,
): AssetRecords {
  const claimed = (one: StoredFile, principal: PrincipalId, claim: NewClaim): void =>
    void one.claims.set(principal, { ...claim, bytes: one.bytes.byteLength, usedAt: now() })
  const dropped = (asset: string, one: StoredFile, principal: PrincipalId): boolean => {
    const had = one.claims.delete(principal)
    if (one.claims.size === 0) stored.delete(asset)
    return had
  }
  return {
    async put(principal, claim, bytes) {
      const used = [...stored.values()].reduce((sum, one) => sum + one.bytes.byteLength, 0)
      const known = stored.get(claim.asset)
      if (!known && used + bytes.byteLength > maxBytes)
        return err(AssetsFull(`${used} of ${maxBytes} bytes are taken (maxTenantBytes)`))
      const one = known ?? { bytes, claims: new Map(), sessions: new Map() }
      stored.set(claim.asset, one)
      claimed(one, principal, claim)
      return ok(undefined)
    },
    async claim(asset, principal) {
      const claims = stored.get(asset)?.claims
      return ok(
        principal === undefined
          ? [...(claims?.values() ?? [])].sort((a, b) => b.usedAt - a.usedAt)[0]
          : claims?.get(principal),
      )
    },
    async bytes(asset) {
      return ok(stored.get(asset)?.bytes)
    },
    async hold(claims, { principal, session }) {
      const missing: string[] = []
      for (const claim of claims) {
        const one = stored.get(claim.asset)
        if (!one) missing.push(claim.asset)
        else {
          claimed(one, principal, claim)
          one.sessions.set(session, { principal, at: now() })
        }
      }
      return ok(missing)
    },
    async release(asset, principal) {
      const one = stored.get(asset)
      return ok(one !== undefined && dropped(asset, one, principal))
    },
    async forget(session) {
      for (const [asset, one] of stored) {
        const principal = one.sessions.get(session)?.principal
        one.sessions.delete(session)
        if (
          principal !== undefined &&
          ![...one.sessions.values()].some((held) => held.principal === principal)
        )
          dropped(asset, one, principal)
      }
      return ok(undefined)
    },
  }
}
