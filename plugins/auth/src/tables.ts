import { tables, type Generated } from '@amodal/sdk/database'

export interface Tables {
  auth_key: {
    /** Whose data the key is for; empty where a request says it. */
    tenant: string
    id: string
    digest: Uint8Array
    name: string
    roles: readonly string[]
    scopes: readonly string[]
    created_at: Generated<Date>
    expires_at: Date | null
    revoked_at: Date | null
  }
}

export const db = tables<Tables>()
