/**
 * Runs that no client waits for, on three processes that are killed one after another; and Postgres
 * is restarted in between.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isWhole, newRandom } from '../support/random.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { LOCAL_HEADERS } from './control.ts'
import { Home } from './home.ts'
import { callsOf, messageOf, type Plan } from './plan.ts'
import { startWorld, type World } from './world.ts'

const KILLS = isWhole() ? 100 : 10
/** Runs in flight at each kill. */
const RUNS = isWhole() ? 50 : 12
/** Kills before Postgres is restarted. */
const RESTART_AFTER = KILLS / 2
const NAMES = ['a', 'b', 'c'] as const
/** ms between two kills, at most: a run has the time to get somewhere, and not to its end. */
const REST_MS = 1_500
/**
 * Servers die so often here that a run may lose its owner again and again, on trial too, without
 * being to blame: trials end at once, and no number of crashes is too many. `poison` tests both.
 */
const BLAMELESS = { trialMs: 1, maxCrashes: 10_000 }
/** Of how many runs one may still die in the moment of its trial, and is then set aside. */
const ONE_ASIDE_OF = 200
const PATIENT = { timeout: 120_000, interval: 100 }
/** ms after which runs are stuck of which none ends. */
const STUCK_MS = 180_000
/** ms between two looks. */
const LOOK_MS = 100

/** An effect without a key first: what its tool answers is a stranger's word. */
const STEPS: Plan['steps'] = [
  [{ tool: 'effect_plain' }, { tool: 'effect_keyed' }],
  [{ tool: 'read_thing' }, { tool: 'effect_keyed' }],
]

interface Kept {
  readonly session: string
  readonly status: string | null
  /** Why its session waits for a person, as JSON. */
  readonly set_aside: string | null
}

let postgres: Postgres
let world: World
beforeAll(async () => {
  ;[postgres, world] = await Promise.all([startPostgres(), startWorld({ pace: 150 })])
})
afterAll(async () => {
  await Promise.all([postgres.stop(), world.close()])
})

test(`${KILLS} kills and a restart of Postgres with ${RUNS} runs in flight: each run ends, each effect happens once`, async () => {
  const random = newRandom()
  const home = await Home.make({ world, postgres, runtime: { leaseMs: 3_000, ...BLAMELESS } })
  const client = new pg.Pool({ connectionString: home.databaseUrl, max: 1 })
  // A connection that the restart of Postgres breaks is replaced by the next statement.
  client.on('error', () => undefined)
  const runs = new Map<string, Plan>()
  try {
    await Promise.all(NAMES.map((name) => home.start(name)))
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill === RESTART_AFTER) await postgres.restart()
      await fill(home, client, runs)
      await sleep(random.within(100, REST_MS))
      const name = random.pick(NAMES)
      await home.server(name).kill()
      await home.start(name)
    }
    const ends = await ended(client, runs)
    const aside = new Set(ends.filter(({ set_aside }) => set_aside).map(({ session }) => session))
    const message = `seed ${random.seed}, ${runs.size} runs, ${aside.size} set aside`
    expect(countOf(ends, aside), message).toEqual({ complete: runs.size - aside.size })
    expect(aside.size, message).toBeLessThanOrEqual(Math.ceil(runs.size / ONE_ASIDE_OF))
    expect(await wrongEffects(client, runs, aside), message).toEqual([])
    // A run that another process took over has ended before its job is seen to be done.
    await expect.poll(() => left(client, aside), { ...PATIENT, message }).toEqual([])
  } finally {
    await client.end()
    await home.close()
  }
}, 1_800_000)

/** Starts as many runs as are missing. */
async function fill(home: Home, client: pg.Pool, runs: Map<string, Plan>): Promise<void> {
  const open = (await kept(client)).filter(({ status }) => status === null).length
  for (let n = open; n < RUNS; n++) {
    const plan = { marker: `r${runs.size + 1}`, steps: STEPS }
    runs.set(await begin(home, plan), plan)
  }
}

/** The same key is the same run: a server may die while it answers, or have no database yet. */
async function begin(home: Home, plan: Plan): Promise<string> {
  for (;;) {
    try {
      const response = await fetch(`${await home.reach()}/api/platform/v1/agents/run`, {
        method: 'POST',
        headers: { ...LOCAL_HEADERS, 'idempotency-key': plan.marker },
        body: JSON.stringify({ profile_id: 'agent', task: messageOf(plan) }),
      })
      const text = await response.text()
      if (response.status === 503) throw new Error(text)
      if (response.status !== 202) throw new Refused(`${response.status}: ${text}`)
      const { session_id } = JSON.parse(text) as { readonly session_id: string } // as documented
      return session_id
    } catch (cause) {
      if (cause instanceof Refused) throw cause
      await sleep(LOOK_MS)
    }
  }
}

class Refused extends Error {}

const kept = async (client: pg.Pool): Promise<readonly Kept[]> =>
  (
    await client.query<Kept>(
      'select r.session, r.status, l.set_aside from agent_runs_run r left join sessions_lane l using (session)',
    )
  ).rows

/** Waits until every run has ended, as long as any does. */
async function ended(client: pg.Pool, runs: ReadonlyMap<string, Plan>): Promise<readonly Kept[]> {
  let [left, since] = [runs.size, performance.now()]
  for (;;) {
    const all = await kept(client)
    const open = runs.size - all.filter(({ status }) => status !== null).length
    if (open === 0) return all
    if (open < left) [left, since] = [open, performance.now()]
    if (performance.now() - since > STUCK_MS)
      throw new Error(`${open} runs do not end: ${JSON.stringify(await stuck(client))}`)
    await sleep(LOOK_MS)
  }
}

/** Runs that are open, with their sessions and jobs. */
async function stuck(client: pg.Pool): Promise<readonly unknown[]> {
  const { rows } = await client.query(
    `select r.session, r.attempt, l.owner, l.lease_until, l.work, l.messages, l.controls, l.parked, l.crashes, l.trial, l.state,
      (select json_agg(json_build_object('key', j.key, 'state', j.state, 'attempts', j.attempts, 'lost', j.lost, 'owner', j.owner, 'head', j.head, 'reason', j.reason))
        from queue_database_job j where j.key like r.session || ':%') jobs
    from agent_runs_run r left join sessions_lane l using (session) where r.status is null limit 3`,
  )
  return rows
}

/** How those ended that were not set aside. */
function countOf(all: readonly Kept[], aside: ReadonlySet<string>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { session, status } of all)
    if (!aside.has(session)) counts[status ?? 'open'] = (counts[status ?? 'open'] ?? 0) + 1
  return counts
}

/**
 * Calls that did not happen once. One without a key that a kill has caught on its way happened once
 * or not at all, and its outcome says that nobody knows. A run that was set aside made no calls
 * twice, and perhaps not all.
 */
async function wrongEffects(
  client: pg.Pool,
  runs: ReadonlyMap<string, Plan>,
  aside: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly session: string }>(
    'select session from sessions_lane where unknown_effects > 0',
  )
  const unknown = new Set(rows.map(({ session }) => session))
  const wrong: string[] = []
  for (const [session, plan] of runs)
    for (const { tool, marker } of callsOf(plan)) {
      if (tool === 'read_thing') continue
      const effects = world.outside.effects(marker)
      const mayLack = aside.has(session) || (tool === 'effect_plain' && unknown.has(session))
      if (effects !== 1 && !(mayLack && effects === 0))
        wrong.push(`${marker} ${tool}: ${effects} times, ${await outcomesOf(client, session)}`)
    }
  return wrong
}

/** What its journal says of its calls. */
async function outcomesOf(client: pg.Pool, session: string): Promise<string> {
  const { rows } = await client.query<{ readonly body: string }>(
    `select body from sessions_entry join sessions_lane using (lane)
    where session = $1 and body like '%tool_outcome%' order by seq`,
    [session],
  )
  return rows.map(({ body }) => body).join(' ')
}

/** Jobs of runs that are not done; those of runs that were set aside are dead letters. */
async function left(client: pg.Pool, aside: ReadonlySet<string>): Promise<readonly unknown[]> {
  const { rows } = await client.query(
    `select queue, state, attempts from queue_database_job
    where queue = 'agent-runs.run' and state <> 'done'
      and not (state = 'dead' and data::jsonb ->> 'session' = any($1))`,
    [[...aside]],
  )
  return rows
}
