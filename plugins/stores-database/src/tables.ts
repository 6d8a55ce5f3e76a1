import { tables, type Generated } from '@amodal/sdk/database'
import type { Json, JsonObject } from '@amodal/sdk'

export interface Tables {
  stores_database_document: {
    tenant: Generated<string>
    store: string
    key: string
    version: number
    payload: JsonObject
    computed_at: Date
    expires_at: Date | null
    trace: JsonObject | null
  }
  stores_database_version: {
    tenant: Generated<string>
    store: string
    key: string
    version: number
    payload: JsonObject
    computed_at: Date
    trace: JsonObject | null
  }
  stores_database_call: {
    tenant: Generated<string>
    call_key: string
    outcome: Json
    at: Generated<Date>
    asked: string | null
  }
  stores_database_value: {
    tenant: Generated<string>
    store: string
    key: string
    /** Names that lead to the value, with U+001F between them. */
    field: string
    /** Its first 256 characters. */
    text: string | null
    number: number | null
    flag: boolean | null
    moment: Date | null
  }
}

export const db = tables<Tables>()
