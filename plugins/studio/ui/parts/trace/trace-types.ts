import type { TraceRow } from '../../model/trace.ts'

export type TraceMode = 'rows' | 'waterfall'

/** What can be done from a row; what is left out is not offered. */
export interface TraceActions {
  readonly onFork?: ((row: TraceRow) => void) | undefined
  readonly onPromote?: ((row: TraceRow) => void) | undefined
  readonly onReplay?: ((row: TraceRow) => void) | undefined
}
