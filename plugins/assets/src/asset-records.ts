import type { Failure, PrincipalId, Result, SessionId } from '@amodal/sdk'

/** A file as one principal has it. */
export interface Claim {
  readonly asset: string
  readonly mediaType: string
  readonly bytes: number
  readonly name: string | null
  /** ms since the epoch. */
  readonly usedAt: number
}

/** A file that somebody puts down. */
export interface NewClaim {
  readonly asset: string
  readonly mediaType: string
  readonly name: string | null
}

/**
 * Where the files of one tenant stand: each content once, a claim of every principal who has sent
 * it, and the sessions whose messages have it. A content goes with its last claim.
 */
export interface AssetRecords {
  /** @returns `ASSETS_FULL` where it has no room */
  put(
    principal: PrincipalId,
    claim: NewClaim,
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>>
  /** The claim of a principal; left out: the newest of anybody. */
  claim(
    asset: string,
    principal: PrincipalId | undefined,
    signal: AbortSignal,
  ): Promise<Result<Claim | undefined, Failure>>
  bytes(asset: string, signal: AbortSignal): Promise<Result<Uint8Array | undefined, Failure>>
  /**
   * Claims these for a principal and holds them for a session.
   *
   * @returns those whose content is not there
   */
  hold(
    claims: readonly NewClaim[],
    by: { readonly principal: PrincipalId; readonly session: SessionId },
    signal: AbortSignal,
  ): Promise<Result<readonly string[], Failure>>
  /** @returns whether there was such a claim */
  release(
    asset: string,
    principal: PrincipalId,
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>>
  /** A session is gone, and what it alone had with it. */
  forget(session: SessionId, signal: AbortSignal): Promise<Result<void, Failure>>
}
