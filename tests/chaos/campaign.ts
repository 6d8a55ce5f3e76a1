/**
 * One run of the nemesis: clients, servers and faults from one seed, everything written down, and
 * what was kept in the end.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '@amodal/sdk'
import { startPostgres } from '../support/postgres.ts'
import {
  answerLeft,
  audit,
  collect,
  Looker,
  readAgain,
  settle,
  useAll,
  type Stuck,
} from './aftermath.ts'
import { cancelAtTimes, readBeside, readJournals, writeDocuments, type Look } from './beside.ts'
import { check } from './checker.ts'
import { contest } from './contest.ts'
import { Crowd } from './crowd.ts'
import { scheduleOf } from './disturbances.ts'
import { anyServer, flaky } from './flaky.ts'
import {
  keep,
  Recorder,
  seenOf,
  tellSession,
  type History,
  type Kept,
  type Violation,
} from './history.ts'
import { Home } from './home.ts'
import { disturb, DRAIN_MS, STUCK, up } from './nemesis-hand.ts'
import { Person, type Turn } from './person.ts'
import type { Deed } from './plan.ts'
import type { Random } from '../support/random.ts'
import { SCENARIOS } from './scenarios.ts'
import { startWorld } from './world.ts'

export interface CampaignOptions {
  readonly random: Random
  readonly database: 'pglite' | 'postgres'
  /** For how long there are faults. */
  readonly ms: number
}

export interface Outcome {
  readonly history: History
  readonly violations: readonly Violation[]
}

/** ms that a client waits for the end of its turn, after the last fault. */
const PATIENCE_MS = 60_000
/** ms for everything that comes after the faults. */
const LONGEST_MS = 240_000
const NOTHING = { sessions: [], documents: [], calls: [], audit: undefined }
const SESSIONS = 12
const DOCUMENTS = ['one', 'two'] as const
const NOTES = {
  name: 'notes',
  description: 'What was written.',
  history: { versions: 100_000 },
  entity: {
    name: 'Note',
    key: '{id}',
    schema: { id: { type: 'string' }, value: { type: 'string' } },
  },
}
const store = { tool: 'store_notes' } as const
const DEEDS: readonly [Deed, ...Deed[]] = [
  { steps: [] },
  ...Object.values(SCENARIOS),
  { steps: [[store]] },
  { steps: [[store, { tool: 'effect_plain', approve: true }, store]] },
  { steps: [[{ tool: 'effect_keyed', approve: true }], [{ tool: 'effect_plain', approve: true }]] },
]

/** Runs it, and holds what was seen against what was kept. */
export async function campaign({ random, database, ms }: CampaignOptions): Promise<Outcome> {
  const servers = database === 'pglite' ? 1 : random.branch('servers').within(1, 3)
  const world = await startWorld({ pace: 3 })
  const postgres = database === 'postgres' ? await startPostgres() : undefined
  // Whoever holds the embedded database takes over at once; elsewhere a lease has to lapse first.
  const lease = postgres
    ? { leaseMs: 2_000, marginMs: 300, sweepMs: 200, storeMs: 3_000 }
    : { leaseMs: 20_000 }
  const home = await Home.make({
    world,
    postgres,
    runtime: { ...lease, pollMs: 100, drainMs: 3_000 },
    cables: true,
    files: { 'stores/notes.json': JSON.stringify(NOTES) },
  })
  const looker = home.databaseUrl === undefined ? undefined : new Looker(home.databaseUrl)
  const recorder = new Recorder()
  const names = ['a', 'b', 'c'].slice(0, servers)
  const look: Look = async (sql, parameters = []): Promise<readonly Row[]> =>
    looker?.query(sql, parameters) ?? (await anyServer(home, random)).query(sql, parameters)
  let stage = 'the start of the servers'
  const title = `nemesis on ${database} with ${servers}`

  async function play(): Promise<Kept> {
    await Promise.all(names.map((name) => up(name, { home, recorder })))
    const network = flaky({
      random: random.branch('network'),
      recorder,
      server: () => anyServer(home, random),
    })
    const calm = flaky({ random, recorder, server: () => anyServer(home, random), reliable: true })
    const asks = random.branch('answers')
    const person = new Person(() => home.reach(), {
      fetch: network,
      recorder,
      patienceMs: ms + PATIENCE_MS,
      answer: (ask) => contest(ask, asks, recorder, network),
    })
    const end = new AbortController()
    const besides: Promise<unknown>[] = []
    const beside = (turn: Turn, own: Random): void => {
      besides.push(
        Promise.allSettled([
          cancelAtTimes(turn, own.branch('cancel'), recorder, network),
          readBeside(turn, own.branch('read'), recorder, network, end.signal),
        ]),
      )
    }
    const crowd = new Crowd(person, random.branch('crowd'), {
      sessions: SESSIONS,
      turns: 1,
      restMs: 800,
      deeds: DEEDS,
      beside,
    })
    const faulty = AbortSignal.timeout(ms)
    const others = [
      ...DOCUMENTS.map((document) =>
        writeDocuments(document, random.branch(document), recorder, network, faulty),
      ),
      readJournals(look, recorder, faulty),
    ]
    stage = 'the faults'
    await disturb(scheduleOf(random.branch('nemesis'), { servers: names, database, ms }), {
      home,
      postgres,
      recorder,
      signal: faulty,
    })
    stage = 'the end of all turns'
    const left = answerLeft(look, recorder, calm, end.signal)
    const turns = (await crowd.stop()).flat()
    stage = 'rest'
    const stuck = [...(await settle(look, recorder))]
    end.abort()
    await Promise.all([left, ...others, ...besides])
    stage = 'a turn in every session'
    stuck.push(
      ...(await useAll(
        home,
        names,
        [...new Set(turns.flatMap(({ session }) => session ?? []))],
        recorder,
        random,
      )),
    )
    stage = 'the last readings'
    await readAgain(turns, random.branch('last'), recorder, calm)
    const collected = await collect(look, world.outside.calls)
    stage = 'the end of the servers'
    stuck.push(
      ...(await stopAll(home, names)),
      ...seenOf(recorder, 'server').flatMap(({ server, why }) =>
        why?.startsWith(STUCK) ? [{ text: `${server}: ${why}` }] : [],
      ),
    )
    stage = 'the check of the audit log'
    return { ...collected, stuck, audit: await audit(home) }
  }

  try {
    const late = sleep(ms + LONGEST_MS, undefined, { ref: false }).then((): Kept => ({
      ...NOTHING,
      stuck: [{ text: `${stage} did not come to its end` }],
    }))
    const kept = await Promise.race([play(), late])
    const history: History = { title, seed: random.seed, seen: recorder.seen, kept }
    return {
      history,
      violations:
        kept.sessions.length === 0
          ? kept.stuck.map((one) => ({ kind: 'stuck', ...one }))
          : check(history),
    }
  } finally {
    await looker?.close()
    await home.close()
    await postgres?.stop()
    await world.close()
  }
}

/** All servers are asked to end. */
async function stopAll(home: Home, names: readonly string[]): Promise<readonly Stuck[]> {
  const gone = await Promise.all(
    names.map(async (name) => [name, await home.server(name).stop(DRAIN_MS)] as const),
  )
  return gone.filter(([, isGone]) => !isGone).map(([name]) => ({ text: `${name}: ${STUCK}` }))
}

/** What was done, in one line. */
export function summaryOf({ title, seed, seen, kept }: History): string {
  const count = (kind: (typeof seen)[number]['kind']): number =>
    seen.filter((one) => one.kind === kind).length
  const faults = [...Map.groupBy(seenOf({ seen }, 'fault'), ({ fault }) => fault.do)]
    .map(([kind, all]) => `${all.length} × ${kind}`)
    .join(', ')
  return `${title}, AMODAL_SEED=${seed}: ${kept.sessions.length} sessions, ${count('sent')} messages, ${count('answering')} answers to ${new Set(seenOf({ seen }, 'answering').map(({ ask }) => ask)).size} questions, ${count('reading')} readings, ${kept.calls.length} calls outside, ${count('storing')} writes; ${faults || 'no faults'}`
}

/** What was violated, with the story of each session it is about, and where all of it stands. */
export async function accountOf({ history, violations }: Outcome): Promise<string> {
  const file = await keep(history)
  const sessions = [...new Set(violations.flatMap(({ session }) => session ?? []))].slice(0, 3)
  return [
    `${violations.length} violations, AMODAL_SEED=${history.seed}`,
    ...violations.map(
      ({ kind, session, text }) =>
        `- ${kind}${session === undefined ? '' : ` in ${session}`}: ${text}`,
    ),
    '',
    ...sessions.map((session) => tellSession(history, session)),
    `The whole history: ${file}`,
  ].join('\n')
}
