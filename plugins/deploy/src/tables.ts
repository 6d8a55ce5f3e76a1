import { tables, type Generated } from '@amodal/sdk/database'

export interface Tables {
  deploy_snapshot: {
    /** Empty: an agent has the same files for all tenants. */
    tenant: string
    id: string
    agent: string
    version: string
    /** The release that built it. */
    runtime: string
    files: number
    /** Bytes of the archive. */
    size: number
    archive: Uint8Array
    pushed_at: Generated<Date>
    /** A principal; empty once that person is erased. */
    pushed_by: string
  }
  deploy_pointer: {
    tenant: string
    /** `current`. */
    name: string
    /** `null`: the agent folder of each server. */
    snapshot: string | null
    /** What a share of new sessions gets. */
    canary: string | null
    percent: number
    /** Goes up with each change. */
    version: number
  }
  deploy_event: {
    tenant: string
    seq: Generated<number>
    at: Generated<Date>
    who: string
    what: string
    snapshot: string | null
    /** What was in use before. */
    previous: string | null
    percent: number | null
  }
}

export const db = tables<Tables>()
