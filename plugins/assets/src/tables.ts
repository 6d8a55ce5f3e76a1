import { tables, type Generated } from '@amodal/sdk/database'

interface Tables {
  assets_content: {
    tenant: Generated<string>
    /** SHA-256 of its bytes. */
    asset: string
    bytes: number
    /** Its bytes are outside of the database, and it has no chunks. */
    outside: Generated<boolean>
    created_at: Generated<Date>
  }
  assets_chunk: {
    tenant: Generated<string>
    asset: string
    n: number
    data: Uint8Array
  }
  /** Bytes outside of the database that no content names, or not yet. */
  assets_removal: {
    tenant: Generated<string>
    asset: string
    due_at: Date
  }
  assets_claim: {
    tenant: Generated<string>
    asset: string
    principal: string
    media_type: string
    name: string | null
    used_at: Generated<Date>
  }
  assets_hold: {
    tenant: Generated<string>
    asset: string
    session: string
    principal: string
    /** When it was last seen that the session is there. */
    seen_at: Generated<Date>
  }
}

export const db = tables<Tables>()
