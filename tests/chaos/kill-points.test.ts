/**
 * Every state and every commit point: the server is killed before and after it, and another one
 * goes on.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SUMMARY_HEAD } from '@amodal/sdk'
import { Transcript } from '@amodal/sdk/client'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { attemptName } from './attempt-name.ts'
import { Home } from './home.ts'
import { doubtOf, nameOf, placesOf, undisturbedTurn } from './kill.ts'
import { Person, type Turn } from './person.ts'
import { messageOf, tasksOf } from './plan.ts'
import { isWhole, newRandom } from '../support/random.ts'
import { compacts, SCENARIOS } from './scenarios.ts'
import type { ServerProcess } from './server-process.ts'
import { strike, type Struck, type Victim } from './strike.ts'
import { Tally } from './tally.ts'
import { journalOf, judge } from './verdict.ts'
import { startWorld, type World } from './world.ts'

/**
 * Turns that die together, so that one restart serves many. The first of them waits for the last in
 * its tool or request, whose own time limit must not pass meanwhile.
 */
const GROUP = 16
/**
 * Those of them that are held in a commit, or in an accept. Less than the flights of the journal:
 * each may hold one.
 */
const HELD = 15

/** Scenarios, and places of each, where not all of them are tried. */
const SCENARIOS_SAMPLED = 6
const SAMPLE = 5

const random = newRandom()
const tally = new Tally(
  isWhole() ? 'kill points' : `kill points, ${SAMPLE} of each scenario, seed ${random.seed}`,
)
afterAll(() => tally.print())

const scenarios = isWhole()
  ? Object.entries(SCENARIOS)
  : random.branch('scenarios').sample(Object.entries(SCENARIOS), SCENARIOS_SAMPLED)
const databases = isWhole() ? (['pglite', 'postgres'] as const) : (['pglite'] as const)

describe.each(databases)('on %s', (database) => {
  let world: World
  let postgres: Postgres | undefined
  let home: Home
  let server: ServerProcess

  beforeAll(async () => {
    world = await startWorld()
    postgres = database === 'postgres' ? await startPostgres() : undefined
    // Whoever holds the embedded database takes over at once; elsewhere a lease has to lapse first.
    const lease = postgres ? { leaseMs: 1_500, marginMs: 200, sweepMs: 100 } : { leaseMs: 20_000 }
    home = await Home.make({ world, postgres, runtime: { ...lease, pollMs: 50 }, flights: 16 })
    server = await home.start()
  })
  afterAll(async () => {
    await home.close()
    await postgres?.stop()
    await world.close()
  })

  test.each(scenarios)('%s', async (title, deed) => {
    if (server.gone) server = await home.start()
    const name = attemptName(title)
    const person = new Person(() => home.reach())
    const { plan: undisturbed, traces } = await undisturbedTurn(name, deed, person, server)
    const everywhere = placesOf(undisturbed, traces).flatMap((_, index) => {
      const victim = (marker: string, opened: boolean): Victim => {
        const plan = { marker, ...deed }
        const place = placesOf(plan, traces)[index]
        if (!place) throw new Error('every plan of a scenario has the same places')
        return { plan, place, opened }
      }
      const usual = victim(`${name}-${index}`, index % 2 === 1)
      // A message that begins a session and one that finds it are accepted in different ways.
      return usual.place.at === 'statement' && usual.place.statement === 'accept'
        ? [usual, victim(`${name}-${index}b`, !usual.opened)]
        : [usual]
    })
    expect(everywhere.length).toBeGreaterThanOrEqual(6)
    const victims = isWhole()
      ? everywhere
      : random.branch(`${database} ${title}`).sample(everywhere, SAMPLE)

    let missed = 0
    for (const group of groupsOf(victims)) {
      const struck = await strike(group, server, home, world)
      missed += struck.filter((one) => one.missed).length
      server = await home.start()
      await Promise.all(
        struck.map(async (one) => {
          await one.turn.over.catch((cause: unknown) => {
            throw new Error(`${name}, killed ${nameOf(one.place)}`, { cause })
          })
          await expectToldAgain(one)
          await expectWhole(one)
        }),
      )
    }
    expect(missed, `places that were not come to, seed ${random.seed}`).toBeLessThanOrEqual(
      Math.ceil(victims.length / 20),
    )

    async function expectWhole({ turn, turns, plan, place }: Struck): Promise<void> {
      const where = `${name}, killed ${nameOf(place)}`
      const session = turn.session ?? ''
      const next = person.send({ marker: `${plan.marker}-next`, steps: [] }, { session })
      await next.over
      const verdict = await judge(server, session, [...turns, next], world.outside)
      tally.add(database, verdict)
      expect(verdict.findings, where).toEqual([])
      const doubt = tasksOf(plan).length === 0 ? doubtOf(place, plan, traces[0] ?? []) : undefined
      if (doubt) expect(world.outside.effects(doubt.marker), where).toBe(doubt.effects)
      // Where its siblings are when a sub-agent comes to its place is nobody's choice: what holds
      // for every call holds for theirs.
      if (tasksOf(plan).length === 0)
        expect(verdict.unknown, where).toEqual(doubt ? [doubt.marker] : [])
      if (compacts(plan)) await expectSummedUp(turn, where)
    }

    /** Once, and the model still knows what it was asked and what came of it. */
    async function expectSummedUp({ session, key, plan }: Turn, where: string): Promise<void> {
      const { entries } = await journalOf(server, session ?? '')
      const run = entries.find((entry) => entry.kind === 'user_message' && entry.key === key)?.run
      expect(
        entries.filter((entry) => entry.kind === 'compacted' && entry.run === run),
        where,
      ).toHaveLength(1)
      const asked = JSON.stringify(world.lastAsked(plan.marker)?.messages)
      expect(asked, where).toContain(JSON.stringify(SUMMARY_HEAD).slice(1, -1))
      expect(asked, where).toContain(`done ${plan.marker}.1.1`)
      expect(asked, where).toContain(JSON.stringify(messageOf(plan)).slice(1, -1))
    }

    /** A client that left with any of these frames comes back and has the same text in the end. */
    async function expectToldAgain({ turn, seen, place }: Struck): Promise<void> {
      const { entries } = await journalOf(server, turn.session ?? '')
      const run = entries.find(
        (entry) => entry.kind === 'user_message' && entry.key === turn.key,
      )?.run
      const text = entries
        .map((entry) => (entry.kind === 'model_reply' && entry.run === run ? entry.text : ''))
        .join('')
      for (let known = 1; known <= seen; known++) {
        const transcript = new Transcript()
        const kept = turn.events.slice(0, known)
        const last = kept.at(-1)
        if (!last || last.type === 'done') break
        // Clients that say which message they follow, and clients that do not.
        const rest = await person.resumed(
          turn.session ?? '',
          last.frame,
          known % 2 === 0 ? turn.key : undefined,
        )
        for (const event of [...kept, ...rest]) transcript.push(event)
        const where = `${name}, killed ${nameOf(place)}, resumed after event ${known} (${last.type})`
        expect(transcript.text, where).toBe(text)
        expect(
          transcript.events.filter(({ type }) => type === 'done'),
          where,
        ).toHaveLength(1)
      }
    }
  })
})

/** As few groups as there can be. */
function groupsOf(victims: readonly Victim[]): readonly (readonly Victim[])[] {
  const groups: Victim[][] = []
  const held = ({ place }: Victim): string => (place.at === 'statement' ? place.statement : '')
  for (const victim of victims) {
    const fits = (group: readonly Victim[]): boolean =>
      group.length < GROUP &&
      (held(victim) === '' || group.filter((one) => held(one) === held(victim)).length < HELD)
    const group = groups.find(fits)
    if (group) group.push(victim)
    else groups.push([victim])
  }
  return groups
}
