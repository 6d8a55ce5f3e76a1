import { rewriteText } from '@amodal/sdk/database'
import type { Engine } from './engine.ts'

/**
 * Rewrites tables, and the write-ahead log: a segment that is used again keeps its old bytes until
 * it is written over, so all that there are, also those made in advance, are gone through and then
 * removed.
 */
export async function purgeTables(engine: Engine, tables: readonly string[]): Promise<void> {
  for (const table of tables) await engine.script(rewriteText(table))
  // Samples of their values.
  await engine.script(rewriteText('pg_catalog', 'pg_statistic'))
  await engine.script('set wal_recycle = off')
  try {
    const {
      rows: [row],
    } = await engine.batch([
      { sql: 'select count(*)::int as segments from pg_ls_waldir()', parameters: [] },
    ])
    for (let left = Number(row?.['segments'] ?? 0) + 1; left > 0; left--) {
      await engine.script('checkpoint')
      await engine.script('select pg_switch_wal()')
    }
    await engine.script('checkpoint')
  } finally {
    await engine.script('reset wal_recycle')
  }
}
