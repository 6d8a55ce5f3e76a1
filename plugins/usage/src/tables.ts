import { tables, type Generated, type Selectable } from '@amodal/sdk/database'
import type { StoredSums } from './stored-sums.ts'

export interface Tables {
  usage_run: {
    tenant: Generated<string>
    run: string
    session: string
    principal: string
    agent: string
    automation: string | null
    profile: string | null
    /** ms since the epoch, as `ended_at`. */
    started_at: number
    ended_at: number
    ms: number
    waited_ms: number
    model_ms: number
    reason: string
    error: string | null
    calls: number
    call_errors: number
    input_tokens: number
    output_tokens: number
    cache_read: number
    cache_write: number
    /** Billionths of a dollar. */
    cost: number | null
    unpriced: number
    models: readonly StoredSums[]
    tools: readonly StoredSums[]
    /** Of the entry that ended it. */
    seq: number
  }
  /** Tenants whose runs are counted. */
  usage_tenant: {
    tenant: Generated<string>
    /** ms since the epoch from which on runs are counted. */
    since: number
    /** ms since the epoch up to which the journal was compared with the rows. */
    compared: number
  }
  /** Shares of budgets of which somebody was told. */
  usage_alert: {
    tenant: Generated<string>
    budget: string
    /** Start of the day or month, such as `2026-11` or `2026-11-28`. */
    period: string
    percent: number
    /** ms since the epoch. */
    at: number
    /** Billionths of a dollar, at that time. */
    spent: number
  }
}

export type UsageRow = Selectable<Tables['usage_run']>

export const db = tables<Tables>()
