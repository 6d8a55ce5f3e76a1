import { sessionId, tenantId, type Checkup, type InstallationContext } from '@amodal/sdk'
import { checkupRows, hasTable, sql, statement } from '@amodal/sdk/database'

/** Sealed entries that are tried. */
const SAMPLES = 20
const HOUR_S = 3_600

interface Counts {
  readonly open: number
  readonly aside: number
  readonly unknown: number
  readonly lapsed: number
  readonly idle: number
  readonly longest: number
}

const COUNTS = statement(
  () => sql<Counts>`
select count(*) filter (where status <> 'expired')::int open,
  count(*) filter (where set_aside is not null)::int aside,
  count(*) filter (where unknown_effects > 0)::int unknown,
  count(*) filter (where owner is not null and lease_until < clock_timestamp() - interval '1 minute')::int lapsed,
  count(*) filter (where status = 'idle')::int idle,
  coalesce(max(extract(epoch from clock_timestamp() - idle_at)) filter (where status = 'idle'), 0)::int longest
from sessions_lane`,
)

interface Sealed {
  readonly tenant: string
  readonly session: string
  readonly sealed: string
}

const SEALED = statement(
  () => sql<Sealed>`
select l.tenant, l.session, j.sealed from sessions_entry j join sessions_lane l using (lane)
where j.sealed is not null limit ${sql.lit(SAMPLES)}`,
)

/** For `amodal doctor`: sessions that need an operator, and whether the master key decrypts them. */
export async function sessionsCheckup(context: InstallationContext): Promise<readonly Checkup[]> {
  if (!(await hasTable('sessions_lane', context))) return []
  const [counts] = await checkupRows(COUNTS(), context)
  const checkups = counts ? [checkupOf(counts)] : []
  return [...checkups, ...keyCheckup(await checkupRows(SEALED(), context), context)]
}

function checkupOf({ open, aside, unknown, lapsed, idle, longest }: Counts): Checkup {
  const lines = [
    ...(aside > 0 ? [`${aside} are set aside: look at them with amodal ops runs`] : []),
    ...(unknown > 0
      ? [`${unknown} have effects of unknown outcome: settle them with amodal ops runs`]
      : []),
    ...(lapsed > 0
      ? [
          `${lapsed} belong to an instance that is gone for a minute: no server runs, or none takes over`,
        ]
      : []),
  ]
  return {
    title: `Sessions: ${open} open, ${idle} of them idle, for ${Math.floor(longest / HOUR_S)} h at most`,
    ok: lines.length === 0,
    lines,
  }
}

function keyCheckup(
  sealed: readonly Sealed[],
  { sealer }: InstallationContext,
): readonly Checkup[] {
  if (!sealer || sealed.length === 0) return []
  const failures = sealed.flatMap(({ tenant, session, sealed: text }) => {
    const opened = sealer.open({ tenant: tenantId(tenant), session: sessionId(session) }, text)
    return opened.ok ? [] : [opened.error.message]
  })
  const [first] = failures
  return [
    {
      title: `Master key: opens ${sealed.length - failures.length} of ${sealed.length} sealed entries`,
      ok: first === undefined,
      lines:
        first === undefined
          ? []
          : [first, 'give every instance the AMODAL_MASTER_KEY, or .amodal/master-key, of before'],
    },
  ]
}
