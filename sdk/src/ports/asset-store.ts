import {
  slot,
  type AssetRef,
  type Failure,
  type PrincipalId,
  type Result,
  type SessionId,
  type TenantId,
} from '@amodal/kernel'

/** A file that goes with a message: one that is kept already, or its bytes. */
export type AssetInput = KeptAsset | InlineAsset

export interface KeptAsset {
  /** Its id, as the upload has given it. */
  readonly asset: string
  /** Another name than it was uploaded with. */
  readonly name?: string
}

export interface InlineAsset {
  /** The type that the sender declares; detected from the bytes if omitted. */
  readonly mediaType?: string
  /** base64 */
  readonly data: string
  readonly name?: string
}

/** A file as it comes in. */
export interface AssetUpload {
  readonly body: AsyncIterable<Uint8Array>
  /** What the sender says that it is: a type that its bytes contradict is refused. */
  readonly mediaType?: string
  readonly name?: string
  /** SHA-256 that the sender says its bytes have, in hexadecimal digits. */
  readonly hash?: string
}

/** A file that is kept, as its owner has it. */
export interface Asset extends Pick<AssetRef, 'asset' | 'mediaType' | 'bytes' | 'name'> {
  /** ms since the epoch: when its owner uploaded or sent it last. */
  readonly usedAt: number
}

/** The message that files go with. */
export interface Attachment {
  readonly principal: PrincipalId
  readonly session: SessionId
  /** Only files of this principal may be named. */
  readonly only: PrincipalId | undefined
}

/**
 * Files of one tenant, each kept once under the SHA-256 of its bytes, however often it is sent.
 * What one principal takes away stays for others who have sent the same.
 */
export interface TenantAssets {
  /** Reads it to its end or to the limit, checks what it really is, and keeps it. */
  keep(
    principal: PrincipalId,
    upload: AssetUpload,
    signal: AbortSignal,
  ): Promise<Result<Asset, Failure>>
  /** @param only as its owner, this principal, has it; left out: as any of the tenant has it */
  find(
    asset: string,
    only: PrincipalId | undefined,
    signal: AbortSignal,
  ): Promise<Result<Asset | undefined, Failure>>
  /** Its bytes; `undefined` where it is deleted. Who may have them is the caller's to know. */
  read(asset: string, signal: AbortSignal): Promise<Result<Uint8Array | undefined, Failure>>
  /** Takes it away from its owner, and its bytes where it was the last one. `false`: not theirs. */
  remove(
    asset: string,
    principal: PrincipalId,
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>>
  /**
   * Files that go with a message: inline ones are kept, all are held for the session from now on.
   * Before the message is accepted, so that no accepted one lacks a file.
   */
  attach(
    files: readonly AssetInput[],
    to: Attachment,
    signal: AbortSignal,
  ): Promise<Result<readonly AssetRef[], Failure>>
  /** The same for a session that takes over what another one has. */
  hold(
    assets: readonly AssetRef[],
    by: Pick<Attachment, 'principal' | 'session'>,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>>
}

/** Stores the files that people send. Without a provider a message with files is refused. */
export interface AssetStore {
  of(tenant: TenantId): TenantAssets
}
export const AssetStore = slot.kernel<AssetStore>('asset-store')
