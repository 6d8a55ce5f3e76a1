import type { Checkup, InstallationContext } from '@amodal/sdk'
import { checkupRows, hasTable, sql, statement } from '@amodal/sdk/database'

const MINUTE_MS = 60_000
/** ms after it was due from which on nobody seems to take a job. */
const LATE_MS = 10 * MINUTE_MS

interface Counts {
  readonly queue: string
  readonly dead: number
  readonly late: number
  readonly open: number
}

const COUNTS = statement(
  () => sql<Counts>`
select queue, count(*) filter (where state = 'dead')::int dead,
  count(*) filter (where state in ('waiting', 'delayed') and head
    and due < extract(epoch from clock_timestamp()) * 1000 - ${sql.lit(LATE_MS)})::int late,
  count(*) filter (where state in ('waiting', 'delayed', 'active'))::int open
from queue_database_job where state <> 'done' group by queue order by queue`,
)
/** For `amodal doctor`: dead letters, and jobs that nobody takes. */
export async function queueCheckup(context: InstallationContext): Promise<readonly Checkup[]> {
  if (!(await hasTable('queue_database_job', context))) return []
  const queues = await checkupRows(COUNTS(), context)
  const lines = queues.flatMap(({ queue, dead, late }) => [
    ...(dead > 0
      ? [`${queue}: ${dead} dead letters; see amodal ops queue dead ${queue}, then redrive them`]
      : []),
    ...(late > 0
      ? [`${queue}: ${late} jobs are due for 10 minutes: no worker runs, or too few`]
      : []),
  ])
  const open = queues.reduce((sum, one) => sum + one.open, 0)
  return [{ title: `Jobs: ${open} open`, ok: lines.length === 0, lines }]
}
