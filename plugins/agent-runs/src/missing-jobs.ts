import { principalId, sessionId, tenantId, type Logger } from '@amodal/sdk'
import type { RunJobs } from './run-jobs.ts'
import type { RunTable } from './run-table.ts'

/** Seconds after which a job that is not there is taken to be missing. */
const MISSING_SECONDS = 30
const MOST = 100

/**
 * Publishes jobs of runs whose process died between writing a row and publishing, or whose queue
 * could not be reached. Publishing one twice changes nothing.
 */
export async function publishMissing(table: RunTable, jobs: RunJobs, log: Logger): Promise<void> {
  const found = await table.withoutJob(MISSING_SECONDS, MOST)
  if (!found.ok) return log.debug('agent_runs.unread', { code: found.error.code })
  for (const { tenant, session, principal, profile, published, status } of found.value) {
    const owned = { tenant, session, profile, principal: principalId(principal) }
    const ref = { tenant: tenantId(tenant), session: sessionId(session) }
    const done =
      status === null ? await jobs.start(owned) : await jobs.drive(owned, `ended:${status}`)
    const noted = done.ok && !published ? await table.published(ref) : done
    if (!noted.ok) log.warn('agent_runs.not_published', { code: noted.error.code })
  }
}
