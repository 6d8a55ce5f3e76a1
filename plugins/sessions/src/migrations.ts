import type { MigrationList } from '@amodal/sdk'
import { AGE, COST, CRASHES, DUE, ENDS, LANES, REQUESTS } from './migrations/1-to-7.ts'
import { HOT } from './migrations/8.ts'
import { COMMITS, KINDS, SAMPLES, SHARED } from './migrations/9-to-12.ts'

/**
 * Not under the tenant role: a plugin reaches sessions through the SessionStore slot, never by SQL
 * of its own.
 */
export const MIGRATIONS: MigrationList = {
  plugin: 'sessions',
  migrations: [
    LANES,
    COST,
    CRASHES,
    DUE,
    ENDS,
    REQUESTS,
    AGE,
    HOT,
    KINDS,
    SAMPLES,
    COMMITS,
    SHARED,
  ],
  tenantTables: [],
}
