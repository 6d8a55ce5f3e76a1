import type { JsonObject } from '@amodal/sdk'

export type RowKind =
  | 'message'
  | 'model'
  | 'tool'
  | 'approval'
  | 'question'
  | 'agent'
  | 'guard'
  | 'state'
  | 'compaction'
  | 'recovery'
  | 'note'
  | 'end'

export type RowStatus =
  | 'running'
  | 'waiting'
  | 'done'
  | 'failed'
  | 'refused'
  | 'unknown'
  | 'cancelled'

/** Tokens as the API has them: cached ones are not in `input`. */
export type Tokens = {
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly cache_written: number
}

/** What a row says of its own kind. */
export type RowFacts = {
  readonly kind: RowKind
  readonly title: string
  readonly status: RowStatus
  /** ms since the epoch. */
  readonly startedAt: number
  /** ms of work; `null`: it goes on, or nobody measured it. */
  readonly ms: number | null
  /** ms that it waited for a person; `null`: it still waits. */
  readonly waitingMs?: number | null
  readonly model?: JsonObject
  readonly tool?: JsonObject
  readonly ask?: JsonObject
  readonly agent?: JsonObject
  readonly guard?: JsonObject
  readonly error?: { readonly code: string; readonly message: string }
  readonly code?: string
  /** `id` of the call that it is about. */
  readonly of?: string
}
