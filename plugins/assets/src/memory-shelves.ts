import {
  err,
  ok,
  type PrincipalId,
  type SessionId,
  type SessionRef,
  type TenantId,
} from '@amodal/sdk'
import { AssetsFull } from './errors.ts'
import type { Claim, NewClaim, Shelf } from './shelf.ts'

interface Kept {
  readonly bytes: Uint8Array
  /** By their principals. */
  readonly claims: Map<PrincipalId, Claim>
  /** By the sessions that hold it: for whom, and since when in ms since the epoch. */
  readonly sessions: Map<SessionId, { readonly principal: PrincipalId; readonly at: number }>
}

/** Files in the memory of this process: gone when it ends. */
export class MemoryShelves {
  readonly #tenants = new Map<TenantId, Map<string, Kept>>()
  readonly #maxBytes: number
  readonly #now: () => number

  constructor(maxBytes: number, now: () => number) {
    this.#maxBytes = maxBytes
    this.#now = now
  }

  of(tenant: TenantId): Shelf {
    const kept = this.#tenants.get(tenant) ?? new Map<string, Kept>()
    this.#tenants.set(tenant, kept)
    return shelf(kept, this.#maxBytes, this.#now)
  }

  /** Sessions that have held a file since before this time. */
  holders(before: number): readonly SessionRef[] {
    return [...this.#tenants].flatMap(([tenant, kept]) => {
      const held = [...kept.values()].flatMap(({ sessions }) =>
        [...sessions].flatMap(([session, { at }]) => (at < before ? [session] : [])),
      )
      return [...new Set(held)].map((session) => ({ tenant, session }))
    })
  }

  /** Takes claims away that no session holds since this time. */
  clean(before: number): number {
    let gone = 0
    for (const kept of this.#tenants.values())
      for (const [asset, { claims, sessions }] of kept) {
        const held = new Set([...sessions.values()].map(({ principal }) => principal))
        for (const [principal, { usedAt }] of claims)
          if (usedAt < before && !held.has(principal)) claims.delete(principal)
        if (claims.size === 0 && kept.delete(asset)) gone++
      }
    return gone
  }

  clear(): void {
    this.#tenants.clear()
  }
}

function shelf(kept: Map<string, Kept>, maxBytes: number, now: () => number): Shelf {
  const claimed = (one: Kept, principal: PrincipalId, claim: NewClaim): void =>
    void one.claims.set(principal, { ...claim, bytes: one.bytes.byteLength, usedAt: now() })
  const dropped = (asset: string, one: Kept, principal: PrincipalId): boolean => {
    const had = one.claims.delete(principal)
    if (one.claims.size === 0) kept.delete(asset)
    return had
  }
  return {
    async put(principal, claim, bytes) {
      const used = [...kept.values()].reduce((sum, one) => sum + one.bytes.byteLength, 0)
      const known = kept.get(claim.asset)
      if (!known && used + bytes.byteLength > maxBytes)
        return err(AssetsFull(`${used} of ${maxBytes} bytes are taken (maxTenantBytes)`))
      const one = known ?? { bytes, claims: new Map(), sessions: new Map() }
      kept.set(claim.asset, one)
      claimed(one, principal, claim)
      return ok(undefined)
    },
    async claim(asset, principal) {
      const claims = kept.get(asset)?.claims
      return ok(
        principal === undefined
          ? [...(claims?.values() ?? [])].sort((a, b) => b.usedAt - a.usedAt)[0]
          : claims?.get(principal),
      )
    },
    async bytes(asset) {
      return ok(kept.get(asset)?.bytes)
    },
    async hold(claims, { principal, session }) {
      const missing: string[] = []
      for (const claim of claims) {
        const one = kept.get(claim.asset)
        if (!one) missing.push(claim.asset)
        else {
          claimed(one, principal, claim)
          one.sessions.set(session, { principal, at: now() })
        }
      }
      return ok(missing)
    },
    async release(asset, principal) {
      const one = kept.get(asset)
      return ok(one !== undefined && dropped(asset, one, principal))
    },
    async forget(session) {
      for (const [asset, one] of kept) {
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
