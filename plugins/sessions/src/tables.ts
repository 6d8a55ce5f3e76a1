import type { SessionKind } from '@amodal/sdk'
import { tables, type Generated } from '@amodal/sdk/database'

export interface Tables {
  sessions_lane: {
    /** Number of the session, by which its journal is found. */
    lane: Generated<number>
    tenant: string
    session: string
    head: number
    fence: number
    owner: string | null
    lease_until: Date | null
    /** Key of the inbox item that claimed the session last. */
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
    /** `updated_at` in steps: see its migration. */
    bucket: Generated<Date>
    /** It may have work: true wherever it has some. */
    work: Generated<boolean>
    idle_at: Date | null
    /** Billionths of a dollar; null until a call with a known price. */
    cost: number | null
    /** Owners that were lost with this session since it last made progress. */
    crashes: Generated<number>
    /** It runs alone, so that a crash says whose fault it is. */
    trial: Generated<boolean>
    /** Why it waits for a person to decide whether it goes on. */
    set_aside: string | null
    unknown_effects: Generated<number>
    /** ms since the epoch, from which on a parked session has work: a question has expired. */
    due: number | null
    provider: string | null
    /** How the last run ended, as JSON. */
    last_end: string | null
    /** Digest of the request that created an empty session, so that a retry creates no second one. */
    request: string | null
    kind: Generated<SessionKind>
  }
  /** A row for each commit. */
  sessions_journal: {
    lane: number
    /** Of its last entry. */
    seq: number
    /** The entries, each as JSON, with the record separator between them. */
    body: string
    /** The same of what is sealed of them, empty where nothing is; null where all are. */
    sealed: string | null
  }
  /** A view of the journal: a row for each entry. */
  sessions_entry: {
    lane: number
    seq: number
    body: string
    sealed: string | null
  }
  sessions_shared: {
    tenant: string
    name: string
    /** How often it has changed. */
    version: number
    /** JSON. */
    value: string
  }
  sessions_inbox: {
    tenant: string
    session: string
    key: string
    n: Generated<number>
    body: string
    control: boolean
    /** Acknowledged by a commit. It stays for a while, so that its key is recognised. */
    taken: Generated<boolean>
    at: Generated<Date>
  }
}

export const db = tables<Tables>()
