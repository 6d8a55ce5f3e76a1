import { tables } from '@amodal/sdk/database'

export interface Tables {
  connect_mcp_secret: {
    /** Empty: a connection is the agent's, and no tenant's. */
    tenant: string
    name: string
    /** Goes up with each change. */
    version: number
    /** A text that only the master key opens. */
    sealed: string
    /** Until when one instance alone may replace it. */
    held_until: Date | null
    expires_at: Date | null
  }
}

export const db = tables<Tables>()
