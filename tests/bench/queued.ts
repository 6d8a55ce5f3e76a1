/** Starts work that nobody waits for, and waits until all of it is done. */

import { setTimeout as sleep } from 'node:timers/promises'

import type { DatabaseMeter } from './database-costs.ts'
import type { ServerProcess } from './server-process.ts'
import { say } from './vocabulary.ts'

/** Requests on their way at once, for each instance. */
const SENDERS = 10
/** ms between two looks: each is a statement. */
const LOOK_MS = 200

/** Starts so many runs, on each instance in turn, and waits until all have ended. */
export async function startRuns(
  instances: readonly ServerProcess[],
  meter: DatabaseMeter,
  count: number,
): Promise<void> {
  await begin(instances, count, '/api/platform/v1/agents/run', () => ({
    profile_id: 'agent',
    task: say.text(20),
  }))
  await ended(
    meter,
    `select count(*) filter (where not notified)::int as open,
      count(*) filter (where status <> 'complete')::int as wrong from agent_runs_run`,
  )
}

/** The same of an automation that events start: its file has to say so. */
export async function startAutomations(
  instances: readonly ServerProcess[],
  meter: DatabaseMeter,
  count: number,
): Promise<void> {
  const round = Math.random()
  await begin(instances, count, '/webhooks/hook', (n) => ({ round, n }))
  await ended(
    meter,
    `select count(*) filter (where ended_at is null)::int as open,
      count(*) filter (where status in ('failed', 'skipped'))::int as wrong from automations_run`,
  )
}

async function begin(
  instances: readonly ServerProcess[],
  count: number,
  path: string,
  body: (n: number) => object,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => n).values()
  const send = async (): Promise<void> => {
    for (const n of numbers) {
      const port = instances[n % instances.length]?.port ?? 0
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body(n)),
      })
      const text = await response.text()
      if (response.status !== 202) throw new Error(`${path} was answered with ${text}`)
    }
  }
  await Promise.all(Array.from({ length: SENDERS * instances.length }, send))
}

/** Waits for rows and for jobs. @param count what is open, and what went wrong */
async function ended(meter: DatabaseMeter, count: string): Promise<void> {
  for (;;) {
    const [left] = await meter.query<{ open: number; wrong: number }>(
      `select open + (select count(*)::int from queue_database_job where ended_at is null) as open,
        wrong from (${count}) runs`,
    )
    if ((left?.wrong ?? 0) > 0) throw new Error(`${left?.wrong} did not complete`)
    if (left?.open === 0) return
    await sleep(LOOK_MS)
  }
}
