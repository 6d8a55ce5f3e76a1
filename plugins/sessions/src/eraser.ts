import {
  err,
  failure,
  ok,
  runId,
  sessionId,
  tenantId,
  type ErasedSession,
  type Eraser,
  type Row,
} from '@amodal/sdk'

/** Somebody is at it, or will be without being asked. */
const ACTIVE = 'owner is not null or controls > 0 or (messages > 0 and not parked)'

/**
 * Sessions of a person, with all that were forked from them and all that work for them. `$1`: who,
 * `$2`: the tenant or null.
 */
const OWN = `
with recursive own(tenant, session) as (
  select tenant, session from sessions_lane where principal = $1 and ($2::text is null or tenant = $2)
  union
  select l.tenant, l.session from sessions_lane l join own on l.tenant = own.tenant and l.parent = own.session)
select l.tenant, l.session, (${ACTIVE}) as active,
  (select coalesce(array_agg(distinct j.body::jsonb ->> 'run'), '{}') from sessions_journal j where j.tenant = l.tenant and j.session = l.session) as runs
from own join sessions_lane l using (tenant, session) order by l.tenant, l.session for update of l`

const AS_ROWS =
  'jsonb_to_recordset($1::jsonb) gone(tenant text collate "C", session text collate "C")'

/** Messages and answers of a person in sessions of others. */
const ELSEWHERE = `
select count(*)::int as n from sessions_journal j where ($2::text is null or j.tenant = $2) and j.body like '%' || $1 || '%' and j.body::jsonb ->> 'principal' = $1`

const SHOWN = 5

export const eraser: Eraser = {
  async sessions({ principal, tenant }, run) {
    const rows = await run({ sql: OWN, parameters: [principal, tenant ?? null] })
    const active = rows
      .filter((row) => row['active'] === true)
      .map(({ session }) => String(session))
    if (active.length > 0) {
      return err(
        failure(
          'RUN_ACTIVE',
          `${active.length} of the sessions of ${principal} are at work (${active.slice(0, SHOWN).join(', ')}${active.length > SHOWN ? ', …' : ''}): wait for them, cancel their runs, or stop the server and let it end them; nothing was erased`,
        ),
      )
    }
    return ok(rows.map(sessionOf))
  },
  async erase({ principal, tenant, sessions }, run) {
    const gone = JSON.stringify(sessions)
    await run({
      sql: `delete from sessions_inbox b using ${AS_ROWS} where b.tenant = gone.tenant and b.session = gone.session`,
      parameters: [gone],
    })
    await run({
      sql: `delete from sessions_journal b using ${AS_ROWS} where b.tenant = gone.tenant and b.session = gone.session`,
      parameters: [gone],
    })
    await run({
      sql: `delete from sessions_lane b using ${AS_ROWS} where b.tenant = gone.tenant and b.session = gone.session`,
      parameters: [gone],
    })
    const [others] = await run({ sql: ELSEWHERE, parameters: [principal, tenant ?? null] })
    return ok({
      removed: sessions.length,
      unknown: Number(others?.['n'] ?? 0),
      tables: ['sessions_lane', 'sessions_journal', 'sessions_inbox'],
    })
  },
}

const sessionOf = ({ tenant, session, runs }: Row): ErasedSession => ({
  tenant: tenantId(String(tenant)),
  session: sessionId(String(session)),
  runs: (Array.isArray(runs) ? runs : []).filter((run) => typeof run === 'string').map(runId),
})
