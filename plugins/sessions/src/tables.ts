import { tables, type Generated } from '@amodal/sdk/database'

export interface Tables {
  sessions_lane: {
    tenant: string
    session: string
    head: number
    fence: number
    owner: string | null
    lease_until: Date | null
    /** Key of the inbox item that claimed the lane last. */
    claim: string | null
    /** Key of the last commit, which makes repeating it safe. */
    last_key: string | null
    messages: Generated<number>
    controls: Generated<number>
    parked: Generated<boolean>
    state: string
    status: Generated<'active' | 'idle' | 'expired'>
    title: string
    tags: Generated<readonly string[]>
    principal: string
    message_count: Generated<number>
    input_tokens: Generated<number>
    output_tokens: Generated<number>
    model: string | null
    parent: string | null
    fork_at: number | null
    meta: string
    created_at: Generated<Date>
    updated_at: Generated<Date>
    idle_at: Date | null
    /** Billionths of a dollar; null until a call is made whose price is known. */
    cost: number | null
    /** Owners that were lost with this session since it last made progress. */
    crashes: Generated<number>
    /** It runs alone, so that a crash says whose fault it is. */
    trial: Generated<boolean>
    /** Why it waits for a person to decide whether it goes on. */
    set_aside: string | null
    unknown_effects: Generated<number>
    /** ms since the epoch, from which on a parked lane has work: a question has expired. */
    due: number | null
    provider: string | null
    /** How the last run ended, as JSON. */
    last_end: string | null
    /** Digest of the request that made an empty session, so that it makes one. */
    request: string | null
  }
  sessions_journal: {
    tenant: string
    session: string
    seq: number
    body: string
    sealed: string | null
  }
  sessions_inbox: {
    tenant: string
    session: string
    key: string
    n: Generated<number>
    body: string
    control: boolean
    taken: Generated<boolean>
    at: Generated<Date>
  }
}

export const db = tables<Tables>()
