import type { Checkup } from '@amodal/sdk'
import type { Read } from './probe-read.ts'

/** Older ones lack what the statements use. */
const OLDEST = 14
/** ms between two clocks from which on times of jobs and logs mislead. */
const APART_MS = 2_000

/** Version, clock, settings that decide what is safe, and connections. */
export async function serverCheckups(
  read: Read,
  { max }: { readonly max: number },
): Promise<readonly Checkup[]> {
  const before = Date.now()
  const [row = {}] = await read(`select current_setting('server_version') version,
    current_setting('server_version_num')::int num, (extract(epoch from clock_timestamp()) * 1000)::bigint at,
    current_setting('fsync') fsync, current_setting('synchronous_commit') commits,
    current_setting('full_page_writes') pages, current_setting('default_transaction_isolation') isolation,
    current_setting('default_transaction_read_only') readonly, pg_is_in_recovery()::text replica`)
  const after = Date.now()
  const apart = Math.round(Number(row['at']) - (before + after) / 2)
  const major = Math.floor(Number(row['num']) / 10_000)
  return [
    {
      title: `PostgreSQL ${String(row['version'])}`,
      ok: major >= OLDEST,
      lines:
        major >= OLDEST ? [] : [`upgrade the server: ${OLDEST} is the oldest that is supported`],
    },
    {
      title: `Clocks: the database is ${Math.abs(apart)} ms ${apart < 0 ? 'behind' : 'ahead of'} this machine`,
      ok: Math.abs(apart) - (after - before) / 2 < APART_MS,
      lines:
        Math.abs(apart) < APART_MS
          ? []
          : ['let both machines follow a time server (NTP): due times are off'],
    },
    checkupOf('Settings of the server', settingProblems(row)),
    await connectionsCheckup(read, max),
  ]
}

export const checkupOf = (title: string, problems: readonly string[]): Checkup => ({
  title,
  ok: problems.length === 0,
  lines: problems,
})

function settingProblems(row: Readonly<Record<string, unknown>>): readonly string[] {
  const wrong: readonly (readonly [boolean, string])[] = [
    [
      row['fsync'] === 'off',
      'fsync is off: a crash of its machine can destroy all data; turn it on',
    ],
    [
      row['commits'] === 'off',
      'synchronous_commit is off: a crash loses what was acknowledged; turn it on for this database',
    ],
    [row['pages'] === 'off', 'full_page_writes is off: a crash can corrupt pages; turn it on'],
    [
      row['isolation'] !== 'read committed',
      `default_transaction_isolation is "${String(row['isolation'])}": statements fail where they should wait; set it to "read committed" for this database`,
    ],
    [
      row['readonly'] === 'on' || row['replica'] === 'true',
      'nothing can be written: this is a replica, or default_transaction_read_only is on; connect to the primary',
    ],
  ]
  return wrong.flatMap(([isWrong, text]) => (isWrong ? [text] : []))
}

async function connectionsCheckup(read: Read, max: number): Promise<Checkup> {
  const [row = {}] = await read(`select current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int most,
    (select count(*)::int from pg_stat_activity where backend_type = 'client backend') used,
    (select count(distinct client_addr)::int from pg_stat_activity where application_name = 'amodal') machines`)
  const [most, used, machines] = [Number(row['most']), Number(row['used']), Number(row['machines'])]
  // Beside its pool, each instance holds one connection that listens.
  const each = max + 1
  const fits = Math.floor(most / each)
  const needed = Math.max(1, machines) * each
  const problems = [
    ...(needed > most
      ? [
          `${machines} machines with ${each} connections each (pool ${max}, and one that listens) need ${needed} of ${most}: lower "max" of db-postgres, raise max_connections, or put a pooler between`,
        ]
      : []),
    ...(used >= most * 0.9
      ? [`${used} of ${most} connections are in use: the next instance may get none`]
      : []),
  ]
  return {
    title: `Connections: ${used} of ${most} in use; ${fits} instances with a pool of ${max} fit`,
    ok: problems.length === 0,
    lines: problems,
  }
}
