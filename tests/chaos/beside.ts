/**
 * What goes on beside the conversations: cancels, readers who come back in the middle, documents
 * that are written, a look into the journals.
 */

import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '@amodal/sdk'
import { EventParser, type ClientEvent } from '@amodal/sdk/client'
import { insist } from './contest.ts'
import type { Recorder } from './history.ts'
import type { Turn } from './person.ts'
import type { Random } from '../support/random.ts'

/** Asks the database, past all servers where that is possible. */
export type Look = (sql: string, parameters?: readonly unknown[]) => Promise<readonly Row[]>

const CANCELLED = 0.08
const READ_BESIDE = 0.5

export const hashOf = (body: string): string =>
  createHash('sha256').update(body).digest('base64url').slice(0, 16)

/** Some turns are cancelled on their way. */
export async function cancelAtTimes(
  turn: Turn,
  random: Random,
  recorder: Recorder,
  network: typeof fetch,
): Promise<void> {
  const [isCancelled, wait] = [random.chance(CANCELLED), random.within(0, 600)]
  if (!isCancelled) return
  await Promise.race([turn.until((events) => events.length > 0), turn.over])
  if (turn.session === undefined) return
  await sleep(wait)
  const { session } = turn
  recorder.add({ kind: 'cancelling', session })
  const { heard } = await insist(
    (signal) => network(`http://chaos/sessions/${session}/cancel`, { method: 'POST', signal }),
    20_000,
  )
  recorder.add({ kind: 'cancelled', session, heard })
}

export interface Reading {
  readonly reader: string
  readonly key: string
  readonly session: string
  readonly from?: {
    readonly reader: string
    readonly events: number
    readonly last: ClientEvent['frame']
  }
  readonly withKey: boolean
}

/**
 * Reads a turn to its end, or until the connection breaks; perhaps after what another reader had by
 * then.
 */
export async function readTurn(
  { reader, key, session, from, withKey }: Reading,
  recorder: Recorder,
  network: typeof fetch,
  signal: AbortSignal,
): Promise<void> {
  recorder.add({
    kind: 'reading',
    reader,
    key,
    session,
    ...(from && { from: { reader: from.reader, events: from.events } }),
  })
  const {
    seq,
    fencingToken: fence,
    attempt,
    n,
  } = from?.last ?? { seq: 0, fencingToken: 0, attempt: 0, n: 0 }
  const headers = {
    ...(from && { 'last-event-id': `${seq}.${fence}.${attempt}.${n}` }),
    ...(withKey && { 'idempotency-key': key }),
  }
  const response = await network(`http://chaos/chat/stream/${session}`, { headers, signal })
  if (!response.ok || !response.body) return
  const parser = new EventParser()
  const decoder = new TextDecoder()
  for await (const chunk of response.body) {
    for (const { id = '', data } of parser.push(decoder.decode(chunk, { stream: true }))) {
      const [ownSeq = 0, ownFence = 0, ownAttempt = 0, ownN = 0] = id.split('.').map(Number)
      const event = {
        ...JSON.parse(data),
        frame: { seq: ownSeq, fencingToken: ownFence, attempt: ownAttempt, n: ownN },
      } as ClientEvent // the wire's contract
      recorder.add({ kind: 'event', reader, key, event })
      if (event.type === 'done') return
    }
  }
}

const NOT_OF_THE_TURN: ReadonlySet<ClientEvent['type']> = new Set([
  'init',
  'warning',
  'error',
  'reset',
])

/**
 * Without the message's key a turn is known by the frames of its own: what waits behind another
 * turn has none yet.
 */
export const needsKey = (heard: readonly ClientEvent[]): boolean =>
  heard.every(({ type }) => NOT_OF_THE_TURN.has(type))

/** Somebody else reads on from what the client of a turn has just then. */
export async function readBeside(
  turn: Turn,
  random: Random,
  recorder: Recorder,
  network: typeof fetch,
  signal: AbortSignal,
): Promise<void> {
  const [isRead, events, withKey] = [
    random.chance(READ_BESIDE),
    random.within(1, 15),
    random.chance(0.5),
  ]
  if (!isRead) return
  await Promise.race([turn.until((all) => all.length >= events), turn.over])
  const heard = turn.heard
  const last = heard.at(-1)
  if (!last || last.type === 'done') return
  await readTurn(
    {
      reader: `${turn.plan.marker} beside`,
      key: turn.key,
      session: turn.session ?? '',
      from: { reader: turn.reader, events: heard.length, last: last.frame },
      withKey: withKey || needsKey(heard),
    },
    recorder,
    network,
    signal,
  )
}

/** Writes one document again and again, each write with a key of its own. */
export async function writeDocuments(
  document: string,
  random: Random,
  recorder: Recorder,
  network: typeof fetch,
  signal: AbortSignal,
): Promise<void> {
  for (let n = 1; !signal.aborted; n++) {
    await sleep(random.within(20, 300))
    const value = `${document} ${n}`
    recorder.add({ kind: 'storing', document, value })
    const key = crypto.randomUUID()
    const { heard, status, text } = await insist((limit) =>
      network('http://chaos/api/stores/notes', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ id: document, value }),
        signal: limit,
      }),
    )
    const { version } =
      // the wire's contract
      heard === 'accepted' ? (JSON.parse(text) as { readonly version: number }) : {}
    recorder.add({
      kind: 'stored',
      document,
      value,
      heard,
      code: `${status} ${text.slice(0, 200)}`,
      ...(version !== undefined && { version }),
    })
  }
}

/** Reads whole journals while they grow. */
export async function readJournals(
  look: Look,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(700)
    const rows = await Promise.race([
      look(
        'select session, body from sessions_entry join sessions_lane using (lane) order by session, seq',
      ),
      sleep(2_000, [], { ref: false }),
    ]).catch(() => [])
    for (const [session, own] of Map.groupBy(rows, (row) => String(row['session']))) {
      recorder.add({ kind: 'read', session, entries: own.map(({ body }) => hashOf(String(body))) })
    }
  }
}
