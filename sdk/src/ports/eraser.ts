import {
  registry,
  type Failure,
  type PrincipalId,
  type Result,
  type RunId,
  type TenantId,
} from '@amodal/kernel'
import type { SessionRef } from '@amodal/kernel'
import type { Row, Statement } from './database.ts'

/**
 * One statement inside the transaction of an erasure. What it throws rolls the whole erasure back.
 */
export type EraserRun = (statement: Statement) => Promise<readonly Row[]>

/** Whose content is to go. */
export interface ErasureRequest {
  readonly principal: PrincipalId
  /** Of this tenant; of all where it is left out. */
  readonly tenant?: TenantId
}

/** Sessions that go with their person, and the runs in them. */
export interface ErasedSession extends SessionRef {
  readonly runs: readonly RunId[]
}

/** What one plugin has erased. */
export interface Erased {
  readonly removed: number
  /**
   * Rows that may contain content of this person and of others: they are kept, and a person has to
   * check them.
   */
  readonly unknown: number
  /** Tables that are rewritten afterwards, so that nothing of it stays in their files. */
  readonly tables: readonly string[]
}

/**
 * Takes the content of a person out of what a plugin keeps in the database. All erasers work in one
 * transaction: all of it goes, or none. They are also called to find out what would go, and are
 * then rolled back. `amodal ops erase` calls them with the plugin set up and not booted.
 */
export interface Eraser {
  /**
   * Sessions of the person, from plugins that store sessions or still have data of a deleted one.
   * An `Err` deletes nothing.
   */
  readonly sessions?: (
    request: ErasureRequest,
    run: EraserRun,
  ) => Promise<Result<readonly ErasedSession[], Failure>>
  readonly erase: (
    request: ErasureRequest & { readonly sessions: readonly ErasedSession[] },
    run: EraserRun,
  ) => Promise<Result<Erased, Failure>>
  /** After the transaction was committed: copies outside of the database. */
  readonly erased?: () => Promise<Result<void, Failure>>
}

/** Erasers by the name of what they erase from. */
export const Erasers = registry<Eraser>('erasers')
