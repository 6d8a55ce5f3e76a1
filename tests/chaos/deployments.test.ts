/** Three instances, while a snapshot is promoted and rolled back and people talk. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { isWhole } from '../support/random.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import { snapshotOf } from '../support/snapshots.ts'
import { LOCAL_HEADERS } from './control.ts'
import { Home } from './home.ts'
import type { ServerProcess } from './server-process.ts'
import { startWorld, type World } from './world.ts'

const NAMES = ['a', 'b', 'c'] as const
const CLIENTS = 6
/** Promotions and rollbacks. */
const ROUNDS = isWhole() ? 6 : 2
/** Messages of a session. */
const MESSAGES = 5
/** Sessions that have to begin in each state of the deployment. */
const SESSIONS = 12

let postgres: Postgres
let world: World
let model: ModelServer
beforeAll(async () => {
  ;[postgres, world, model] = await Promise.all([
    startPostgres(),
    startWorld({ pace: 60 }),
    startModelServer({
      script: ({ messages: [system] }) =>
        reply.text(/VERSION-\w+/.exec(JSON.stringify(system))?.[0] ?? 'no version'),
    }),
  ])
})
afterAll(async () => {
  await Promise.all([postgres.stop(), world.close(), model.close()])
})

interface Answer {
  readonly session_id: string
  readonly response: string
}

/** People who begin sessions one after another, and continue each at any instance. */
class Crowd {
  readonly #home: Home
  readonly #done = new AbortController()
  #turn = 0
  /** Answers by session, in the order in which the sessions began. */
  readonly answers = new Map<string, string[]>()
  readonly failed: string[] = []

  constructor(home: Home) {
    this.#home = home
  }

  get sent(): number {
    return [...this.answers.values()].flat().length
  }

  async talk(): Promise<void> {
    await Promise.all(Array.from({ length: CLIENTS }, () => this.#person()))
  }

  leave(): void {
    this.#done.abort()
  }

  /** Resolves once so many more sessions have begun. */
  async more(sessions: number): Promise<void> {
    const wanted = this.answers.size + sessions
    await expect.poll(() => this.answers.size, { timeout: 120_000 }).toBeGreaterThanOrEqual(wanted)
  }

  async #person(): Promise<void> {
    while (!this.#done.signal.aborted) {
      let session: string | undefined
      for (let n = 0; n < MESSAGES; n++) {
        const answer = await this.#say(session)
        if (!answer) return
        session = answer.session_id
        const answers = this.answers.get(session) ?? []
        this.answers.set(session, [...answers, answer.response])
      }
    }
  }

  async #say(session: string | undefined): Promise<Answer | undefined> {
    const server = this.#next()
    const response = await fetch(`${server.url}/chat/sync`, {
      method: 'POST',
      headers: LOCAL_HEADERS,
      body: JSON.stringify({
        message: 'Which version?',
        ...(session !== undefined && { session_id: session }),
      }),
    })
    const text = await response.text()
    if (response.ok) return JSON.parse(text) as Answer // what the route answers with
    this.failed.push(`${server.name}: ${response.status} ${text.slice(0, 300)}`)
    return undefined
  }

  #next(): ServerProcess {
    const { serving } = this.#home
    const server = serving[this.#turn++ % serving.length]
    if (!server) throw new Error('no instance serves')
    return server
  }
}

const ask = async (
  server: ServerProcess,
  path: string,
  body?: Uint8Array<ArrayBuffer> | object,
): Promise<{ readonly in_use?: string | null }> => {
  const isArchive = body instanceof Uint8Array
  const response = await fetch(`${server.url}/api/deployments${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...LOCAL_HEADERS,
      ...(isArchive && { 'content-type': 'application/octet-stream' }),
    },
    ...(body !== undefined && { body: isArchive ? body : JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as { readonly in_use?: string | null } // of a route of ours
}

test('a promotion and its rollback under load fail no request, and no session changes its snapshot', async () => {
  const home = await Home.make({
    world,
    postgres,
    files: { 'AGENTS.md': 'You are VERSION-folder.\n' },
    manifest: {
      models: {
        main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url },
      },
    },
  })
  try {
    const [old, fresh] = await Promise.all(
      ['old', 'fresh'].map((version) =>
        snapshotOf(home.dir, { 'AGENTS.md': `You are VERSION-${version}.\n` }),
      ),
    )
    if (!old || !fresh) throw new Error('there is no snapshot')
    const [a, b, c] = await Promise.all(NAMES.map((name) => home.start(name)))
    if (!a || !b || !c) throw new Error('there is no instance')
    const allUse = (id: string) =>
      expect
        .poll(
          async () =>
            (await Promise.all([a, b, c].map((server) => ask(server, '/status')))).map(
              ({ in_use: used }) => used,
            ),
          { timeout: 30_000 },
        )
        .toEqual([id, id, id])
    await ask(a, '', old.archive)
    await ask(a, '/promote', { id: old.id })
    await allUse(old.id)

    const crowd = new Crowd(home)
    const talking = crowd.talk()
    await crowd.more(SESSIONS)
    for (let round = 0; round < ROUNDS; round++) {
      await ask(a, '', fresh.archive)
      await ask(b, '/promote', { id: fresh.id })
      await allUse(fresh.id)
      await crowd.more(SESSIONS)
      await ask(c, '/rollback', {})
      await allUse(old.id)
      await crowd.more(SESSIONS)
    }
    crowd.leave()
    await talking
    expect(crowd.failed, `of ${crowd.sent}`).toEqual([])
    expect(crowd.sent).toBeGreaterThan(SESSIONS * MESSAGES)
    const mixed = [...crowd.answers].filter(([, answers]) => new Set(answers).size !== 1)
    expect(mixed).toEqual([])
    expect(new Set([...crowd.answers.values()].map(([first]) => first))).toEqual(
      new Set(['VERSION-old', 'VERSION-fresh']),
    )
    expect([...crowd.answers.values()].at(-1)?.[0]).toBe('VERSION-old')
  } finally {
    await home.close()
  }
})
