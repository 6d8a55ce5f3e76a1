import { tables, type Generated } from '@amodal/sdk/database'
import type { MemoryOrigin } from './tokens.ts'

export interface Tables {
  memory_note: {
    tenant: Generated<string>
    /** A principal, or empty where the notes are the whole tenant's. */
    owner: string
    id: string
    text: string
    origin: MemoryOrigin
    noted_by: string
    at: Generated<Date>
  }
}

export const db = tables<Tables>()
