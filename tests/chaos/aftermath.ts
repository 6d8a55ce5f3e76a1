/**
 * After the last fault: everything comes to rest, is used once more, read once more, and collected.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readEntries } from '@amodal/kernel'
import type { Row } from '@amodal/sdk'
import type { SessionDetails } from '@amodal/sdk/client'
import pg from 'pg'
import { hashOf, needsKey, readTurn, type Look } from './beside.ts'
import { LATER } from './check-answers.ts'
import { give } from './contest.ts'
import { LOCAL_HEADERS } from './control.ts'
import { flaky } from './flaky.ts'
import { seenOf, type Kept, type KeptDocument, type KeptSession, type Recorder } from './history.ts'
import type { Home } from './home.ts'
import { inParallel } from './in-parallel.ts'
import { Person, type Turn } from './person.ts'
import type { Random } from '../support/random.ts'

/** ms without any change after which what is not at rest never will be. */
const REST_MS = 45_000
/** ms for a whole turn on a healthy server. */
const USABLE_MS = 30_000
/**
 * ms after which a question that is still open is answered by somebody who looks after what is
 * left.
 */
const LEFT_MS = 4_000
/** ms to the next one: what waits behind it has waited long enough. */
const NEXT_MS = 500

export type Stuck = Kept['stuck'][number]

/** A look at Postgres past all servers, their cables and their faults. */
export class Looker {
  readonly #pool: pg.Pool

  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: 2 })
    // the database is restarted; the next query connects anew
    this.#pool.on('error', () => undefined)
  }

  async query(sql: string, parameters: readonly unknown[] = []): ReturnType<Look> {
    const { rows } = await this.#pool.query<Record<string, unknown>>(sql, [...parameters])
    return rows
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

/**
 * Answers what nobody has answered, and continues what was set aside because its servers were
 * killed too often, until it is told to stop.
 */
export async function answerLeft(
  look: Look,
  recorder: Recorder,
  network: typeof fetch,
  signal: AbortSignal,
): Promise<void> {
  for (let wait = LEFT_MS; !signal.aborted; wait = NEXT_MS) {
    await sleep(wait)
    for (const { session } of await look(
      'select session from sessions_lane where set_aside is not null',
    ).catch(() => [])) {
      await network(`http://chaos/sessions/${String(session)}/retry`, {
        method: 'POST',
        headers: LOCAL_HEADERS,
        signal: AbortSignal.timeout(5_000),
      }).catch(() => undefined)
    }
    const parked = await look('select session from sessions_lane where parked').catch(() => [])
    const known = sessionsOf(recorder)
    for (const session of parked
      .map((row) => String(row['session']))
      .filter((one) => known.has(one))) {
      const response = await network(`http://chaos/sessions/${session}`, {
        signal: AbortSignal.timeout(5_000),
      }).catch(() => undefined)
      const { pending_input: pending = [] } = response?.ok
        ? ((await response.json()) as Partial<SessionDetails>)
        : {} // the wire's contract
      for (const { id, pending_input_type: type } of pending) {
        const answer =
          type === 'approval'
            ? { approved: true, feedback: 'left over' }
            : type === 'question'
              ? { response: 'left over' }
              : { action: 'continue', additional_turns: 50 }
        await give(
          { session, id, answer, client: `${LATER}, at ${Math.round(performance.now())}` },
          recorder,
          network,
        )
      }
    }
  }
}

/**
 * Waits until nobody is at any session that clients know of, or says which ones never come to rest.
 */
export async function settle(look: Look, recorder: Recorder): Promise<readonly Stuck[]> {
  const known = sessionsOf(recorder)
  let before = ''
  for (let until = performance.now() + REST_MS; ;) {
    const lanes =
      await look(`select session, owner, fence, messages, controls, parked, head, state from sessions_lane
      where owner is not null or messages > 0 or controls > 0 or set_aside is not null or parked`)
    const isBusy = ({ owner, messages, controls, parked }: Row): boolean =>
      owner !== null || Number(messages) > 0 || Number(controls) > 0 || !parked
    const busy = lanes.filter((lane) => isBusy(lane) || known.has(String(lane['session'])))
    if (busy.length === 0) return []
    const now = busy
      .map(({ session, head }) => `${String(session)} ${String(head)}`)
      .sort()
      .join()
    if (now !== before) until = performance.now() + REST_MS
    before = now
    if (performance.now() > until)
      return busy.map((lane) => ({
        session: String(lane['session']),
        text: `nobody brings it to its end: ${JSON.stringify(lane).slice(0, 500)}`,
      }))
    await sleep(300)
  }
}

const sessionsOf = (recorder: Recorder): ReadonlySet<string> =>
  new Set(
    seenOf(recorder, 'event').flatMap(({ event }) =>
      event.type === 'init' ? [event.session_id] : [],
    ),
  )

/** A turn on each server, and in each session. */
export async function useAll(
  home: Home,
  names: readonly string[],
  sessions: readonly string[],
  recorder: Recorder,
  random: Random,
): Promise<readonly Stuck[]> {
  const stuck: Stuck[] = []
  const use = async (name: string, marker: string, session?: string): Promise<void> => {
    const network = flaky({
      random,
      recorder,
      server: () => Promise.resolve(home.server(name)),
      reliable: true,
    })
    const person = new Person(() => home.reach(), {
      recorder,
      fetch: network,
      patienceMs: USABLE_MS,
    })
    const turn = person.send(
      { marker, steps: [[{ tool: 'effect_keyed' }]] },
      session === undefined ? {} : { session },
    )
    await turn.over
    if (!turn.events.some(({ type }) => type === 'done'))
      stuck.push({
        ...(session === undefined ? {} : { session }),
        text: `no turn comes to its end on ${name}`,
      })
  }
  await Promise.all(names.map((name) => use(name, `use-${name}`)))
  await inParallel(4, sessions, (session, index) =>
    use(names[index % names.length] ?? '', `use-${index + 1}`, session),
  )
  return stuck
}

/** Every turn is read once more: from its beginning, and from a place in its middle. */
export async function readAgain(
  turns: readonly Turn[],
  random: Random,
  recorder: Recorder,
  network: typeof fetch,
): Promise<void> {
  await inParallel(6, turns, async (turn) => {
    const {
      key,
      session,
      plan: { marker },
      heard,
      reader,
    } = turn
    if (session === undefined) return
    const limit = AbortSignal.timeout(USABLE_MS)
    await readTurn(
      { reader: `${marker} again`, key, session, withKey: true },
      recorder,
      network,
      limit,
    ).catch(() => undefined)
    const events = random.within(1, Math.max(1, heard.length - 1))
    const last = heard[events - 1]
    const withKey = random.chance(0.5) || needsKey(heard.slice(0, events))
    if (last && last.type !== 'done')
      await readTurn(
        {
          reader: `${marker} from ${events}`,
          key,
          session,
          withKey,
          from: { reader, events, last: last.frame },
        },
        recorder,
        network,
        limit,
      ).catch(() => undefined)
  })
}

/** The journals, the lanes, the documents and what the outside server saw. */
export async function collect(
  look: Look,
  calls: Kept['calls'],
): Promise<Omit<Kept, 'stuck' | 'audit'>> {
  const lanes = await look(
    'select session, head, owner, messages, controls, parked, state from sessions_lane order by session',
  )
  const rows = Map.groupBy(
    await look(
      'select session, seq, body from sessions_entry join sessions_lane using (lane) order by session, seq',
    ),
    (row) => String(row['session']),
  )
  const sessions = lanes.map((lane): KeptSession => {
    const session = String(lane['session'])
    const own = (rows.get(session) ?? []).map(({ seq, body }) => ({
      seq: Number(seq),
      body: String(body),
    }))
    const entries = readEntries(own)
    if (!entries.ok) throw new Error(entries.error.message)
    const hashes = own.map(({ body }) => hashOf(body))
    return {
      session,
      entries: entries.value,
      hashes,
      lane: {
        ...lane,
        head: Number(lane['head']),
        messages: Number(lane['messages']),
        controls: Number(lane['controls']),
      },
    }
  })
  const versions =
    await look(`select key, version, payload from stores_database_document where store = 'notes'
    union all select key, version, payload from stores_database_version where store = 'notes' order by key, version`)
  // written under the store's schema
  const valueOf = (payload: unknown): string => (payload as { readonly value: string }).value
  const documents = [...Map.groupBy(versions, ({ key }) => String(key))].map(
    ([document, own]): KeptDocument => ({
      document,
      versions: own.map(({ version, payload }) => ({
        version: Number(version),
        value: valueOf(payload),
      })),
    }),
  )
  return { sessions, documents, calls }
}

/** The check of the audit log, as anybody runs it. @returns what it says where it is not content */
export async function audit(home: Home): Promise<string | undefined> {
  const bin = fileURLToPath(new URL('../../cli/dist/bin.js', import.meta.url))
  const env = {
    ...process.env,
    ...(home.databaseUrl === undefined ? {} : { CHAOS_DATABASE_URL: home.databaseUrl }),
  }
  const child = spawn(process.execPath, [bin, 'ops', 'audit', 'verify', '--dir', home.dir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0 ? undefined : `exit code ${code}: ${said}`
}
