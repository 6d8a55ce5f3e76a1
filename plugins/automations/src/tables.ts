import { tables, type Generated } from '@amodal/sdk/database'

/** All times are ms since the epoch. */
export interface Tables {
  automations_rule: {
    tenant: string
    automation: string
    /** Of the schedule and its zone. */
    hash: string | null
    /** Due times up to here are settled. */
    cursor: number
    paused: Generated<boolean>
    /** Its file is gone. */
    retired: Generated<boolean>
    failures: Generated<number>
    alerted_at: number | null
  }
  automations_run: {
    tenant: string
    id: string
    automation: string
    occurrence: string
    source: string
    due: number
    in_order: boolean
    status: string
    created_at: number
    started_at: number | null
    ended_at: number | null
    /** Until when it is held, where its status is `held`. */
    held_until: number | null
    /** How often it was held. */
    holds: Generated<number>
    /** Since when it waits for a person, where its status is `waiting`. */
    waiting_since: number | null
    /** ms for which it has waited for people. */
    waited_ms: Generated<number>
    /** How often it went on after a wait. */
    wakes: Generated<number>
    session: string | null
    /** JSON of a `RunPlan`. */
    plan: string | null
    event: string | null
    result: string | null
    error: string | null
    /** JSON of a list of `RefusedCall`. */
    refused: Generated<string>
  }
  automations_delivery: {
    tenant: string
    id: string
    run: string
    automation: string
    /** JSON of a `Target`, references unresolved. */
    target: string
    target_key: string
    ordered: boolean
    payload: string
    status: string
    attempts: Generated<number>
    redrives: Generated<number>
    created_at: number
    ended_at: number | null
    error: string | null
  }
  automations_attempt: {
    tenant: string
    delivery: string
    n: number
    at: number
    ms: number
    http_status: number | null
    error: string | null
    body: string | null
  }
  /** Targets that have answered 410. */
  automations_gone: { tenant: string; target_key: string; at: number }
}

export const db = tables<Tables>()
