import { tables, type Generated } from '@amodal/sdk/database'

export interface Tables {
  workspace_blob: {
    tenant: Generated<string>
    /** SHA-256 of the bytes. */
    hash: string
    bytes: Uint8Array
    /** When a snapshot referred to it last: a blob that is needed just now is not removed. */
    used_at: Generated<Date>
  }
  workspace_snapshot: {
    tenant: Generated<string>
    id: string
    seq: Generated<number>
    session: string
    principal: string
    /** The run that made it; `null`: what the workspace began with. */
    run: string | null
    parent: string | null
    manifest: unknown
    /** Of its files. */
    hashes: readonly string[]
    files: number
    bytes: number
    created_at: Generated<Date>
  }
}

export const db = tables<Tables>()
