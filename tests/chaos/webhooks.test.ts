/** Signed events that their sender sends again and again, to two processes that are killed. */

import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isWhole, newRandom, type Random } from '../support/random.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { Home } from './home.ts'
import { startWorld, type World } from './world.ts'

const EVENTS = isWhole() ? 100 : 24
/** Times that each of them is sent. */
const TIMES = isWhole() ? 10 : 4
/** Kills of the server that is answering just then. */
const KILLS = isWhole() ? 20 : 5
/** Kills while runs go on, after the last event was taken. */
const LATE_KILLS = isWhole() ? 10 : 2
const NAMES = ['a', 'b'] as const
/** Requests on their way at once. */
const SENDERS = 12
/** ms from the sending of a request to the kill of its server, at most. */
const ANSWER_MS = 15
const SECRET = 'shared with the sender'
const PATIENT = { timeout: 180_000, interval: 200 }

interface Sending {
  readonly id: string
  readonly body: string
}

let postgres: Postgres
let world: World
let model: ModelServer
beforeAll(async () => {
  ;[postgres, world, model] = await Promise.all([
    startPostgres(),
    startWorld(),
    startModelServer({
      script: (request) =>
        reply.text(`Saw ${numberIn(JSON.stringify(request.messages))}.`, { pace: 150 }),
    }),
  ])
})
afterAll(async () => {
  await Promise.all([postgres.stop(), world.close(), model.close()])
})

/** The event in a text. The reply says it in other words, since the next run is told them. */
const numberIn = (text: string): string =>
  [...text.matchAll(/thing-(\d+)/g)].map(([, n]) => n).join(' and ')

const sendingOf = (n: number): Sending => ({
  id: `delivery-${n}`,
  body: JSON.stringify({ action: 'opened', thing: `thing-${n}` }),
})

test(`${EVENTS} events, each sent ${TIMES} times, with ${KILLS} kills of who answers: ${EVENTS} runs`, async () => {
  const random = newRandom()
  const home = await Home.make({
    world: { ...world, modelUrl: model.url },
    postgres,
    runtime: { leaseMs: 3_000 },
    plugins: [['automations', { webhooks: { perMinute: 100_000, perAddress: 100_000 } }]],
    files: {
      '.env': `HOOK_SECRET=${SECRET}\n`,
      'automations/hook.json': JSON.stringify({
        prompt: 'Say what you saw: {{event}}',
        webhookAuth: { type: 'github', secret: 'env:HOOK_SECRET' },
      }),
    },
  })
  const client = new pg.Client({ connectionString: home.databaseUrl })
  await client.connect()
  try {
    await Promise.all(NAMES.map((name) => home.start(name)))
    const sender = new Sender(home, random)
    await sender.sendAll()
    for (let kill = 0; kill < LATE_KILLS; kill++) {
      const name = random.pick(NAMES)
      await home.server(name).kill()
      await home.start(name)
    }
    const message = `seed ${random.seed}, ${sender.tried} requests, ${sender.cut} cut off`
    expect(sender.refused, message).toEqual([])
    expect(sender.cuttingKills, message).toBeGreaterThan(1)
    await expect.poll(() => openRuns(client), { ...PATIENT, message }).toBe(0)
    const all = Array.from({ length: EVENTS }, (_, n) => n)
    expect(await runsOf(client), message).toEqual(
      all.map((n) => `event:x-github-delivery:delivery-${n}: completed, Saw ${n}.`).sort(),
    )
    expect(sender.runs.size, message).toBe(EVENTS)
    expect(await messagesOf(client), message).toEqual(all.map(String).sort())
    await expect.poll(() => left(client), { ...PATIENT, message }).toEqual([])
  } finally {
    await client.end()
    await home.close()
  }
}, 1_800_000)

/**
 * Sends every event several times, in random order and several at once, and again where the
 * connection broke or the answer was 5xx. Kills servers while they answer.
 */
class Sender {
  readonly #home: Home
  readonly #random: Random
  readonly #kills: Promise<void>[] = []
  /** The answers: run by delivery. */
  readonly runs = new Map<string, string>()
  readonly refused: string[] = []
  tried = 0
  cut = 0
  /** Kills that cut off at least one request. */
  cuttingKills = 0

  constructor(home: Home, random: Random) {
    this.#home = home
    this.#random = random
  }

  async sendAll(): Promise<void> {
    const sendings = Array.from({ length: EVENTS * TIMES }, (_, n) => sendingOf(n % EVENTS))
    const order = sendings
      .map((sending) => ({ sending, rank: this.#random.next() }))
      .sort((one, other) => one.rank - other.rank)
    const fatal = new Set(
      Array.from({ length: KILLS }, (_, n) =>
        Math.floor(((n + this.#random.next()) * order.length) / KILLS),
      ),
    )
    const left = order.entries()
    await Promise.all(
      Array.from({ length: SENDERS }, async () => {
        for (const [n, { sending }] of left) await this.#send(sending, fatal.has(n))
      }),
    )
    await Promise.all(this.#kills)
  }

  /** @param isFatal its server is killed while it answers */
  async #send(sending: Sending, isFatal: boolean): Promise<void> {
    for (let tried = 0; ; tried++) {
      const { serving } = this.#home
      const server =
        serving[Math.floor(this.#random.next() * serving.length)] ?? (await this.#home.anyServer())
      const answered = this.#post(server.url, sending)
      if (isFatal && tried === 0) this.#kills.push(this.#strike(server.name))
      if (await answered) return
      await sleep(20)
    }
  }

  async #strike(name: string): Promise<void> {
    const before = this.cut
    await sleep(this.#random.within(0, ANSWER_MS))
    if (!this.#home.server(name).serves) return // another request has killed it
    await this.#home.server(name).kill()
    await this.#home.start(name)
    if (this.cut > before) this.cuttingKills++
  }

  /** @returns `false`: it has to be sent again */
  async #post(url: string, { id, body }: Sending): Promise<boolean> {
    this.tried++
    let response: Response
    let text: string
    try {
      response = await fetch(`${url}/webhooks/hook`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-github-delivery': id,
          'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
        },
        body,
      })
      text = await response.text()
    } catch {
      this.cut++
      return false
    }
    if (response.status >= 500) return false
    if (response.status !== 202) this.refused.push(`${id}: ${response.status} ${text}`)
    else this.#note(id, (JSON.parse(text) as { readonly run_id: string }).run_id) // as documented
    return true
  }

  /** The same delivery is the same run, whoever answers. */
  #note(id: string, run: string): void {
    const known = this.runs.get(id) ?? run
    if (known !== run) this.refused.push(`${id}: it is ${known}, and ${run}`)
    this.runs.set(id, known)
  }
}

async function openRuns(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query('select from automations_run where ended_at is null')
  return rowCount ?? 0
}

async function runsOf(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly run: string }>(
    `select occurrence || ': ' || status || ', ' || coalesce(result, error, '') as run
    from automations_run`,
  )
  return rows.map(({ run }) => run).sort()
}

/** The event of each message that was written into the journal of a session. */
async function messagesOf(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly body: string }>('select body from sessions_entry')
  const messages = rows.flatMap(({ body }) => body.match(/<untrusted.*?thing-\d+/gs) ?? [])
  return messages.map(numberIn).sort()
}

/** Jobs that are not done, or are dead letters. */
async function left(client: pg.Client): Promise<readonly unknown[]> {
  const { rows } = await client.query(
    `select queue, state, attempts from queue_database_job
    where queue like 'automations%' and state <> 'done'`,
  )
  return rows
}
