import type { Checkup } from '@amodal/sdk'
import type { Read } from './probe-read.ts'
import { checkupOf } from './probe-server.ts'

const MB = 1_000_000

/** What keeps the server from cleaning up, and how large tables are. */
export async function activityCheckups(read: Read): Promise<readonly Checkup[]> {
  const old =
    await read(`select pid, coalesce(nullif(application_name, ''), usename::text) who, state,
      extract(epoch from clock_timestamp() - xact_start)::int seconds
    from pg_stat_activity where xact_start < clock_timestamp() - interval '5 minutes'
      and datname = current_database() and pid <> pg_backend_pid() order by xact_start limit 5`)
  const bloated =
    await read(`select relname::text name, n_dead_tup::bigint dead, n_live_tup::bigint live
    from pg_stat_user_tables where schemaname = current_schema()
      and n_dead_tup > 10000 and n_dead_tup > n_live_tup order by n_dead_tup desc limit 5`)
  const [vacuum = {}] = await read(`select current_setting('autovacuum') autovacuum`)
  const sizes = await read(`select relname::text name, pg_total_relation_size(relid)::bigint bytes
    from pg_stat_user_tables where schemaname = current_schema()
    order by pg_total_relation_size(relid) desc limit 8`)
  return [
    checkupOf(
      'Old transactions',
      old.map(
        ({ pid, who, state, seconds }) =>
          `${String(who)} (pid ${String(pid)}) has a transaction open for ${String(seconds)} s, ${String(state)}: nothing is cleaned up behind it; end it, by select pg_terminate_backend(${String(pid)})`,
      ),
    ),
    checkupOf('Dead rows', [
      ...(vacuum['autovacuum'] === 'off' ? ['autovacuum is off: turn it on'] : []),
      ...bloated.map(
        ({ name, dead, live }) =>
          `${String(name)} has ${String(dead)} dead rows and ${String(live)} others: vacuum (analyze) ${String(name)}, and look for old transactions`,
      ),
    ]),
    {
      title: 'Largest tables',
      ok: true,
      lines: sizes.map(
        ({ name, bytes }) => `${(Number(bytes) / MB).toFixed(1).padStart(10)} MB  ${String(name)}`,
      ),
    },
  ]
}
