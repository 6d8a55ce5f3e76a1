import {
  registry,
  slot,
  type Failure,
  type JsonObject,
  type Lease,
  type Result,
} from '@amodal/kernel'
import type { StoreDefinition } from './bundle.ts'
import type { StoreFilter } from './store-filter.ts'

export interface StoreDocument {
  readonly key: string
  readonly store: string
  readonly version: number
  readonly payload: JsonObject
  /** ISO 8601. */
  readonly computedAt: string
  readonly stale: boolean
  readonly expiresAt?: string
  /** What was given with the write. */
  readonly trace?: JsonObject
}

export interface StoreQuery {
  readonly filters: readonly StoreFilter[]
  /** Equal ones by key, in the same direction. What has no value comes last in either. */
  readonly sort?: { readonly field: string; readonly descending: boolean }
  /** 1 to 1,000. */
  readonly limit: number
  readonly offset: number
  /**
   * Only documents that were written at this time or later, in ISO 8601 by the clock of the store.
   * A backend may ignore it and return others, too.
   */
  readonly changedSince?: string
}

export interface StoreWrite {
  readonly key: string
  readonly payload: JsonObject
  /**
   * Written only if the document stands at this version (0: it must not exist); `undefined`:
   * whatever is there.
   */
  readonly ifVersion?: number
  /** Stored with the document, and with its earlier versions. */
  readonly trace?: JsonObject
}
export type StoreWriteOutcome =
  | {
      readonly key: string
      readonly stored: true
      readonly version: number
      readonly previousVersion?: number
    }
  | { readonly key: string; readonly stored: false; readonly error: string }

export interface StoreWriteOptions {
  /** All of the writes or none; otherwise each for itself. */
  readonly atomic: boolean
  /** Idempotency key: a repeated write changes nothing, and returns the first outcome. */
  readonly callKey?: string
  /** Of the session that it is done for: read once more before it is committed. */
  readonly lease?: Lease
  /**
   * Digest of the request made under the key: the same key with another digest is refused
   * (`MESSAGE_CONFLICT`).
   */
  readonly requestDigest?: string
}

/** One page of a query, and how many documents there are in all. */
export interface StorePage {
  readonly documents: readonly StoreDocument[]
  readonly total: number
}

/**
 * Documents of one tenant. A write carries the key of its call: a repeated write changes nothing
 * and returns the first result, which is stored in the transaction of the write.
 */
export interface StoreBackend {
  get(
    store: StoreDefinition,
    key: string,
    signal: AbortSignal,
  ): Promise<Result<StoreDocument | undefined, Failure>>
  query(
    store: StoreDefinition,
    query: StoreQuery,
    signal: AbortSignal,
  ): Promise<Result<StorePage, Failure>>
  /** Outcomes in the order of the writes. `OUTCOME_UNKNOWN`: it may have been written. */
  write(
    store: StoreDefinition,
    writes: readonly StoreWrite[],
    options: StoreWriteOptions,
    signal: AbortSignal,
  ): Promise<Result<readonly StoreWriteOutcome[], Failure>>
  remove(
    store: StoreDefinition,
    key: string,
    options: Pick<StoreWriteOptions, 'callKey' | 'requestDigest' | 'lease'>,
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>>
  /** Earlier versions, newest first, as far as `history.versions` keeps them. */
  history(
    store: StoreDefinition,
    key: string,
    signal: AbortSignal,
  ): Promise<Result<readonly StoreDocument[], Failure>>
  count(store: StoreDefinition, signal: AbortSignal): Promise<Result<number, Failure>>
}
/** Of the session's tenant: there is no tenant in any method. */
export const StoreBackend = slot.session<StoreBackend>('store-backend')

export interface Widget {
  readonly type: string
  readonly schema: JsonObject
}
export const Widgets = registry<Widget>('widgets')
