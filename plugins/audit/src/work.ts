import type { Failure, Result, TenantId } from '@amodal/sdk'
import type { Acknowledgements } from './acknowledgements.ts'
import type { CheckpointSet } from './checkpoint-set.ts'
import type { ChainStore } from './store.ts'

/** What `amodal ops audit` works on. */
export interface Work {
  readonly store: ChainStore
  readonly acknowledgements: Acknowledgements | undefined
  readonly checkpoints: () => Promise<Result<CheckpointSet, Failure>>
  /** ms since the epoch. */
  readonly now: () => number
  /** Of the tenants that are named. */
  readonly only: boolean
  readonly tenants: readonly TenantId[]
  readonly session: string | undefined
  readonly limit: number
  readonly json: boolean
  readonly print: (line: string) => void
  readonly fail: (line: string) => void
  readonly signal: AbortSignal
}

/** A command that cannot read ends with what is wrong. */
export function orFail<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value
  throw new Error(result.error.message, { cause: result.error })
}
