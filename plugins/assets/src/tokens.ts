// What other plugins may see of this one.
import { slot, type Failure, type Result, type TenantId } from '@amodal/sdk'

/** A file of a tenant, by the SHA-256 of its bytes in hexadecimal digits. */
export interface StoredFile {
  readonly tenant: TenantId
  readonly asset: string
}

/**
 * Stores the bytes of files outside of the database, such as in a folder or in object storage. Who
 * has a file, limits and times stay in the database: a provider neither counts nor expires.
 *
 * The same file may be written again at any time, by several processes at once.
 */
export interface AssetBytes {
  /** Where the bytes are, for people: `the folder /srv/files`. */
  readonly place: string
  /** Resolves once the bytes outlive a power failure, and never leaves a part of them readable. */
  write(file: StoredFile, bytes: Uint8Array, signal: AbortSignal): Promise<Result<void, Failure>>
  /** `undefined` where there is no such file. */
  read(file: StoredFile, signal: AbortSignal): Promise<Result<Uint8Array | undefined, Failure>>
  /** Succeeds also where there is no such file. */
  remove(file: StoredFile, signal: AbortSignal): Promise<Result<void, Failure>>
}

/** Optional: without a provider the bytes are in the database, or in the `folder` of `assets`. */
export const AssetBytes = slot.kernel<AssetBytes>('asset-bytes')
