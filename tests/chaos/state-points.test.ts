/**
 * Turns that change the state of their session: the server is killed before and after every commit,
 * in every call and in every reply. State, journal and mirrors agree whatever happens.
 */

import { createClient, type Client, type LiveState } from '@amodal/sdk/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { isWhole, newRandom } from '../support/random.ts'
import { attemptName } from './attempt-name.ts'
import { LOCAL_TOKEN } from './control.ts'
import { Home } from './home.ts'
import { nameOf, placesOf, undisturbedTurn } from './kill.ts'
import type { Deed, Plan } from './plan.ts'
import { addressOf, Person, SOMEWHERE } from './person.ts'
import { AGENT_STATE_SCENARIOS, countsOf, STATE_SCENARIOS, TURNS } from './scenarios.ts'
import type { ServerProcess } from './server-process.ts'
import { judgeState, STATE, stateIn } from './state-verdict.ts'
import { strike, type Struck, type Victim } from './strike.ts'
import { Tally } from './tally.ts'
import { journalOf, judge } from './verdict.ts'
import { startWorld, type World } from './world.ts'

/** Turns that die together; fewer than the flights of the journal, each of which may hold one. */
const GROUP = 15
/** Places of each scenario, where not all of them are tried: others in every run. */
const SAMPLE = 8

const random = newRandom()
const tally = new Tally(
  isWhole() ? 'state points' : `state points, ${SAMPLE} of each scenario, seed ${random.seed}`,
)
afterAll(() => tally.print())

describe.each(['pglite', 'postgres'] as const)('on %s', (database) => {
  let world: World
  let postgres: Postgres | undefined
  let home: Home
  let server: ServerProcess

  beforeAll(async () => {
    world = await startWorld()
    postgres = database === 'postgres' ? await startPostgres() : undefined
    const lease = postgres ? { leaseMs: 1_500, marginMs: 200, sweepMs: 100 } : { leaseMs: 20_000 }
    home = await Home.make({
      world,
      postgres,
      runtime: { ...lease, pollMs: 50 },
      flights: 16,
      manifest: {
        state: STATE,
        limits: { maxTurns: TURNS, max_tool_rounds: TURNS, onMaxTurns: 'ask' },
      },
    })
    server = await home.start()
  })
  afterAll(async () => {
    await home.close()
    await postgres?.stop()
    await world.close()
  })

  const client = (): Client =>
    createClient({
      url: SOMEWHERE,
      credential: LOCAL_TOKEN,
      tries: 1_000,
      fetch: async (input, init) =>
        fetch(addressOf(input).replace(SOMEWHERE, await home.reach()), init),
    })

  test.each(Object.entries(STATE_SCENARIOS))('%s', (title, deed) =>
    everywhere(title, deed, chunks).then(() => undefined),
  )

  /** Of all turns that were sent: what they count. */
  const counted: string[] = []

  test.each(Object.entries(AGENT_STATE_SCENARIOS))('%s', async (title, deed) => {
    const plans = await everywhere(title, deed, oneInCommit)
    counted.push(...plans.flatMap(countsOf).map(({ marker }) => marker))
    const rows = await server.query('select name, version, value from sessions_shared', [])
    const value = (name: string): unknown => {
      const text = rows.find((row) => row['name'] === name)?.['value']
      return typeof text === 'string' ? JSON.parse(text) : undefined
    }
    expect(Object.keys(value('counters') ?? {}).sort(), `seed ${random.seed}`).toEqual(
      counted.toSorted(),
    )
    expect(value('counted') ?? 0, `seed ${random.seed}`).toBe(counted.length)
  })

  /** @returns the plans of all turns */
  async function everywhere(
    title: string,
    deed: Deed,
    groupsOf: (victims: readonly Victim[]) => readonly (readonly Victim[])[],
  ): Promise<readonly Plan[]> {
    if (server.gone) server = await home.start()
    const name = attemptName(title)
    const person = new Person(() => home.reach())
    const { plan: undisturbed, sent, traces } = await undisturbedTurn(name, deed, person, server)
    const all = placesOf(undisturbed, traces).map((_, index): Victim => {
      const plan = { marker: `${name}-${index}`, ...deed }
      const place = placesOf(plan, traces)[index]
      if (!place) throw new Error('every plan of a scenario has the same places')
      return { plan, place, opened: index % 2 === 1 }
    })
    const victims = isWhole() ? all : random.branch(`${database} ${title}`).sample(all, SAMPLE)

    for (const group of groupsOf(victims)) {
      const mirrors: Mirror[] = []
      const struck = await strike(group, server, home, world)
      // Before anybody goes on with them: what is shown now is what the last commit says.
      for (const { turn } of struck) mirrors.push(new Mirror(client(), turn.session))
      server = await home.start()
      await Promise.all(struck.map(async (one, n) => expectAgreed(one, mirrors[n])))
      await Promise.all(mirrors.map((mirror) => mirror.stop()))
    }
    return [...sent, ...victims.map(({ plan }) => plan)]

    async function expectAgreed(
      { turn, turns, plan, place }: Struck,
      mirror: Mirror | undefined,
    ): Promise<void> {
      const where = `${name}, killed ${nameOf(place)}, seed ${random.seed}`
      await turn.over
      const session = turn.session ?? ''
      const now = await client().state(session)
      await mirror?.until(now.version)
      const { entries } = await journalOf(server, session)
      const plans = turns.map((one) => one.plan)
      expect(judgeState(entries, plans, now, mirror?.seen ?? []), where).toEqual([])
      // The conversation goes on, and the next change is made to what there is.
      const next = person.send(
        { marker: `${plan.marker}-next`, steps: [[{ tool: 'update_state' }]] },
        { session },
      )
      await next.over
      const verdict = await judge(server, session, [...turns, next], world.outside)
      tally.add(database, verdict)
      expect(verdict.findings, where).toEqual([])
      const after = await journalOf(server, session)
      const later = await client().state(session)
      expect(judgeState(after.entries, [...plans, next.plan], later, []), where).toEqual([])
      // Every prefix of the journal is a state of its own, as a fork at that entry shows.
      const middle = entries[Math.floor(entries.length / 2)]?.seq ?? 0
      const fork = await client().fork(session, middle)
      expect((await client().state(fork.id)).state, where).toEqual(
        stateIn(entries.filter(({ seq }) => seq <= middle)).versions.at(-1),
      )
    }
  }
})

function chunks(victims: readonly Victim[]): readonly (readonly Victim[])[] {
  const groups: (readonly Victim[])[] = []
  for (let at = 0; at < victims.length; at += GROUP) groups.push(victims.slice(at, at + GROUP))
  return groups
}

/**
 * Whoever is held in a commit holds the agent's state, for which all others wait: there is one in a
 * group, who comes last and dies there.
 */
function oneInCommit(victims: readonly Victim[]): readonly (readonly Victim[])[] {
  const isInCommit = ({ place }: Victim): boolean =>
    place.at === 'statement' && place.statement === 'commit' && place.when === 'before'
  const last = victims.filter(isInCommit)
  const others = victims.filter((one) => !isInCommit(one))
  const each = Math.ceil(others.length / Math.max(1, last.length))
  const groups = last.map((one, n) => [...others.slice(n * each, (n + 1) * each), one])
  return groups.length > 0 ? groups : chunks(others)
}

/** Follows the state of a session over whatever happens to its servers. */
class Mirror {
  readonly seen: LiveState[] = []
  readonly #stop = new AbortController()
  readonly #done: Promise<void>
  #changed = Promise.withResolvers<void>()

  /** @param session none where it was not acknowledged before the server died */
  constructor(client: Client, session: string | undefined) {
    this.#done = session === undefined ? Promise.resolve() : this.#follow(client, session)
    this.#done.catch(() => undefined) // whoever stops it hears of it
    this.follows = session !== undefined
  }

  readonly follows: boolean

  /** Waits for a version, where it follows at all. */
  async until(version: string): Promise<void> {
    while (this.follows && this.seen.at(-1)?.version !== version)
      await Promise.race([this.#changed.promise, this.#done])
  }

  stop(): Promise<void> {
    this.#stop.abort()
    return this.#done
  }

  async #follow(client: Client, session: string): Promise<void> {
    try {
      for await (const state of client.followState(session, { signal: this.#stop.signal })) {
        this.seen.push(state)
        this.#changed.resolve()
        this.#changed = Promise.withResolvers()
      }
    } catch (cause) {
      if (!this.#stop.signal.aborted) throw cause
    }
  }
}
