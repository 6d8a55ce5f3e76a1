import { tables } from '@amodal/sdk/database'

export interface Tables {
  audit_head: {
    tenant: string
    n: number
    hash: string
    /** Signature of whoever moved the head. */
    seal: string | null
  }
  audit_line: {
    tenant: string
    n: number
    key: string
    session: string | null
    body: string
    hash: string
  }
}

export const db = tables<Tables>()
