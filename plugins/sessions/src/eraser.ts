import {
  err,
  failure,
  ok,
  runId,
  sessionId,
  tenantId,
  type ErasedSession,
  type Eraser,
} from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import {
  ELSEWHERE,
  ERASE_INBOX,
  ERASE_JOURNAL,
  ERASE_SESSIONS,
  OWN,
  type OwnRow,
} from './erasure.ts'

const SHOWN = 5

export const eraser: Eraser = {
  async sessions({ principal, tenant }, run) {
    const rows = await runIn(run, OWN({ principal, tenant: tenant ?? null }))
    const active = rows.filter((row) => row.active).map(({ session }) => session)
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
    // Other erasers may return sessions that were deleted here, and whose ids were reused since.
    const own = await runIn(run, OWN({ principal, tenant: tenant ?? null }))
    const ownNames = new Set(own.map((row) => nameOf(row)))
    const erasable = JSON.stringify(sessions.filter((one) => ownNames.has(nameOf(one))))
    for (const statement of [ERASE_INBOX, ERASE_JOURNAL])
      await runIn(run, statement({ sessions: erasable }))
    const removed = await runIn(run, ERASE_SESSIONS({ sessions: erasable }))
    const [others] = await runIn(run, ELSEWHERE({ principal, tenant: tenant ?? null }))
    return ok({
      removed: removed.length,
      unknown: others?.n ?? 0,
      tables: ['sessions_lane', 'sessions_journal', 'sessions_inbox'],
    })
  },
}

const nameOf = ({ tenant, session }: Pick<OwnRow, 'tenant' | 'session'>): string =>
  JSON.stringify([tenant, session])

const sessionOf = ({ tenant, session, runs }: OwnRow): ErasedSession => ({
  tenant: tenantId(tenant),
  session: sessionId(session),
  runs: runs.filter((run) => run !== null).map(runId),
})
