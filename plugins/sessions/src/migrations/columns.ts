import { sql } from '@amodal/sdk/database'
import { db } from '../tables.ts'

export const TEXT_C = sql`text collate "C"`
export const NOW = sql`clock_timestamp()`

/** A partial index on the sessions table, of rows for which the condition is true. */
export const sessionIndex = (name: string, columns: readonly string[]) =>
  db.schema
    .createIndex(name)
    .on('sessions_lane')
    .columns([...columns])
