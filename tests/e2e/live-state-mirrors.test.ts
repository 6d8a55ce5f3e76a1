/** Mirrors of a session's state: clients of three roles, random changes, cuts and reconnects. */

import { createHash } from 'node:crypto'
import type { JsonObject } from '@amodal/sdk'
import {
  ClientError,
  createClient,
  EventParser,
  type Client,
  type LiveState,
} from '@amodal/sdk/client'
import { reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { as, keysOf } from '../security/support/people.ts'
import { isWhole, newRandom, type Random } from '../support/random.ts'

const CLIENTS = isWhole() ? 64 : 12
const CHANGES = isWhole() ? 10_000 : 200
const UNLIMITED = { perMinute: null, perHour: null }
const ROLES = ['pupil', 'teacher', 'ops'] as const
type Role = (typeof ROLES)[number]

/** What a role may see, and write; a canary of a field begins with its name. */
const SEES: Readonly<Record<Role, readonly string[]>> = {
  pupil: ['board'],
  teacher: ['board', 'marks'],
  ops: ['board', 'cost'],
}
const property = (visibility: 'public' | 'private' | { readonly roles: readonly string[] }) => ({
  type: 'object',
  default: {},
  visibility,
  write: ['api', 'model'],
})

/** Of one client: what it holds, all that it has got, and how often it was cut off. */
class Mirror {
  readonly role: Role
  readonly client: Client
  /** Every byte that has come, as it came. */
  bytes = ''
  cuts = 0
  now: LiveState | undefined
  /** Digests of the states that it held, in their order, with their versions. */
  readonly held: { readonly version: string; readonly digest: string }[] = []
  /** It is not cut off any more. */
  isSteady = false
  readonly #stop = new AbortController()
  readonly done: Promise<void>

  constructor(url: string, role: Role, session: string, random: Random) {
    this.role = role
    this.client = createClient({
      url,
      headers: as(role),
      tries: 1_000,
      fetch: async (...request) => this.#cut(await fetch(...request), random),
    })
    this.done = this.#follow(session)
  }

  stop(): Promise<void> {
    this.#stop.abort()
    return this.done
  }

  async #follow(session: string): Promise<void> {
    try {
      for await (const state of this.client.followState(session, { signal: this.#stop.signal })) {
        this.now = state
        if (this.held.at(-1)?.version === state.version) continue
        this.held.push({ version: state.version, digest: digestOf(state.state) })
      }
    } catch (cause) {
      if (!this.#stop.signal.aborted) throw cause
    }
  }

  /** A connection that breaks after a while. */
  #cut(response: Response, random: Random): Response {
    const decoder = new TextDecoder()
    let left = random.within(3, 40)
    const breaking = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.bytes += decoder.decode(chunk, { stream: true })
        controller.enqueue(chunk)
        if (this.isSteady || --left > 0) return
        this.cuts++
        controller.error(new Error('cut'))
      },
    })
    return new Response(response.body?.pipeThrough(breaking) ?? null, response)
  }
}

/** The same for the same state, whatever the order of its keys. */
const digestOf = (state: JsonObject): string =>
  createHash('sha256')
    .update(
      JSON.stringify(state, (_key, value: unknown) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)))
          : value,
      ),
    )
    .digest('base64url')
    .slice(0, 16)

/** Another value for a field: a bigger, a smaller or another object, with lists in it. */
function changed(value: JsonObject, name: string, n: number, random: Random): JsonObject {
  const key = `${name}${random.within(0, 9)}`
  if (random.chance(0.2)) return Object.fromEntries(Object.entries(value).slice(1))
  const list = Array.from({ length: random.within(0, 5) }, (_, at) => `${name}-${n}-${at}`)
  return { ...value, [key]: random.chance(0.5) ? list : { text: `${name}-${n}`, '~/': n } }
}

/** What each role was to see, one after the other: a version's number is its place in the list. */
class Truth {
  readonly #fields: Record<string, JsonObject> = { board: {}, marks: {}, cost: {} }
  readonly #seen = new Map<Role, string[]>(ROLES.map((role) => [role, [this.#digest(role)]]))

  change(name: string, value: JsonObject): void {
    if (JSON.stringify(this.#fields[name]) === JSON.stringify(value)) return
    this.#fields[name] = value
    for (const role of ROLES)
      if (SEES[role].includes(name)) this.#seen.get(role)?.push(this.#digest(role))
  }

  /** What is wrong with what a mirror held: another state for its version, or another order. */
  wrongIn({ role, held }: Mirror): readonly string[] {
    let last = -1
    return held.flatMap(({ version, digest }) => {
      const number = Number(version.split('.')[1])
      const [before] = [last]
      last = number
      if (digest !== this.#seen.get(role)?.[number]) return [`${role}: ${version} is another state`]
      return number < before ? [`${role}: ${version} came after ${before}`] : []
    })
  }

  versions(role: Role): number {
    return (this.#seen.get(role)?.length ?? 0) - 1
  }

  #digest(role: Role): string {
    return digestOf(Object.fromEntries(SEES[role].map((name) => [name, this.#fields[name] ?? {}])))
  }
}

const writerOf = (door: Door, role: Role): Client =>
  createClient({ url: door.url, headers: as(role) })

test(`${CLIENTS} mirrors of ${CHANGES} changes hold what their roles may see, and nothing else`, async () => {
  const random = newRandom()
  const seed = `seed ${random.seed}`
  let secrets = 0
  let secret = 'secret'
  await using door = await openDoor({
    env: keysOf(
      Object.fromEntries(
        ROLES.map((role) => [role, { roles: [role], scopes: ['chat', 'sessions'] }]),
      ),
    ),
    manifest: {
      limits: { max_tool_rounds: 3 },
      // three people do what thousands would
      plugins: [['limits', { requests: UNLIMITED, messages: UNLIMITED }]],
      state: {
        properties: {
          board: property('public'),
          marks: property({ roles: ['teacher'] }),
          cost: property({ roles: ['ops'] }),
          secret: property('private'),
        },
      },
    },
    script: ({ messages }) =>
      messages.at(-1)?.role === 'user'
        ? reply.toolCalls([
            { name: 'update_state', arguments: { secret: { text: `${secret}-${++secrets}` } } },
          ])
        : reply.text('Kept.'),
  })
  const first = await door.say('Begin', {}, as('ops'))
  const session = textIn(first.body, 'session_id')
  const mirrors = Array.from(
    { length: CLIENTS },
    (_, n) =>
      new Mirror(
        door.url,
        ROLES[n % ROLES.length] ?? 'pupil',
        session,
        random.branch(`client ${n}`),
      ),
  )
  onTestFinished(async () => {
    await Promise.all(mirrors.map((mirror) => mirror.stop()))
  })

  const truth = new Truth()
  const write = async (role: Role, name: string, value: JsonObject): Promise<void> => {
    const client = writerOf(door, role)
    const { version } = await client.state(session)
    try {
      await client.changeState(session, { [name]: value }, version)
      truth.change(name, value)
    } catch (cause) {
      if (!(cause instanceof ClientError && cause.code === 'STATE_CONFLICT')) throw cause
    }
  }
  for (let n = 0; n < CHANGES; n++) {
    const role = random.pick(ROLES)
    if (n % 20 === 19) await door.say('Remember something', { session_id: session }, as('ops'))
    const name = SEES[role][random.within(0, SEES[role].length - 1)] ?? 'board'
    const { state } = await writerOf(door, role).state(session)
    await write(role, name, changed(state[name] as JsonObject, name, n, random)) // all are objects
  }
  await caughtUp(door, session, mirrors)
  for (const mirror of mirrors) {
    const { role, now, bytes } = mirror
    expect(truth.wrongIn(mirror), seed).toEqual([])
    expect(Number(now?.version.split('.')[1]), seed).toBe(truth.versions(role))
    expect(Object.keys(now?.state ?? {}).sort()).toEqual([...SEES[role]].sort())
    for (const name of ['marks', 'cost', 'secret'])
      if (!SEES[role].includes(name)) expect(bytes, seed).not.toContain(name)
  }
  expect(secrets).toBeGreaterThan(0)
  expect(mirrors.reduce((sum, { cuts }) => sum + cuts, 0)).toBeGreaterThan(0)

  // What is hidden has no size, no time and no number: large secrets change, and nothing comes.
  for (const mirror of mirrors) mirror.isSteady = true
  await write('pupil', 'board', { steady: 0 })
  await caughtUp(door, session, mirrors)
  const before = mirrors.map(({ bytes, held }) => ({ bytes: bytes.length, held: held.length }))
  const large = 'x'.repeat(50_000)
  secret = `secret ${large}`
  for (let n = 0; n < 5; n++) {
    await door.say('Remember more', { session_id: session }, as('ops'))
    await write('teacher', 'marks', { [`m${n}`]: large })
    await write('ops', 'cost', { [`c${n}`]: large })
  }
  await write('pupil', 'board', { steady: 1 })
  await caughtUp(door, session, mirrors)
  for (const [n, { role, bytes, held }] of mirrors.entries()) {
    if (role !== 'pupil') continue
    const text = bytes
      .slice(before[n]?.bytes)
      .replaceAll(':\n\n', '')
      // that somebody talks to the agent is no secret of the state
      .replaceAll(/event: state_status\n.*\n\n/g, '')
    expect(held.length - (before[n]?.held ?? 0), seed).toBe(1)
    expect(text.match(/^id: /gm), seed).toHaveLength(1)
    expect(text.length, seed).toBeLessThan(300)
  }
}, 1_800_000)

/** Waits until every mirror holds what its role may see now. */
async function caughtUp(door: Door, session: string, mirrors: readonly Mirror[]): Promise<void> {
  const now = new Map<Role, LiveState>()
  for (const role of ROLES) now.set(role, await writerOf(door, role).state(session))
  await expect
    .poll(() => mirrors.filter((one) => one.now?.version !== now.get(one.role)?.version).length, {
      timeout: 120_000,
    })
    .toBe(0)
  for (const mirror of mirrors) expect(mirror.now).toEqual(now.get(mirror.role))
}

test('a change of one field in a state of 100 KB costs at most 300 bytes on the wire', async () => {
  const rows = (text: string): JsonObject => ({
    rows: Array.from({ length: 1_000 }, (_, n) => ({
      id: n,
      text: n === 500 ? text : 'x'.repeat(80),
    })),
  })
  await using door = await openDoor({
    manifest: {
      limits: { max_tool_rounds: 1 },
      state: {
        properties: {
          document: { type: 'object', default: {}, visibility: 'public', write: ['api'] },
          title: { type: 'string', default: '', visibility: 'public', write: ['api'] },
        },
      },
    },
    script: () => reply.text('Hello.'),
  })
  const { body } = await door.say('Begin')
  const session = textIn(body, 'session_id')
  const client = createClient({ url: door.url, credential: door.token })
  await client.changeState(session, { document: rows('before') }, '*')
  expect(JSON.stringify((await client.state(session)).state).length).toBeGreaterThan(100_000)

  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const response = await fetch(`${door.url}/sessions/${session}/state/stream`, {
    headers: { authorization: `Bearer ${door.token}` },
    signal: stop.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const parser = new EventParser()
  let text = ''
  /** Everything that comes until there is another event. */
  const next = async (): Promise<{ readonly event: string; readonly bytes: number }> => {
    text = ''
    for (;;) {
      const chunk = await reader?.read()
      text += chunk?.value ?? ''
      const [event] = parser.push(chunk?.value ?? '')
      if (event?.event === 'state_status') text = ''
      else if (event) return { event: event.event, bytes: Buffer.byteLength(text) }
    }
  }
  expect((await next()).event).toBe('state_snapshot')
  for (const change of [
    { title: 'A title of forty characters, more or less' },
    { document: rows('after') },
  ]) {
    await client.changeState(session, change, '*')
    const { event, bytes } = await next()
    expect(event).toBe('state_delta')
    expect(bytes, text).toBeLessThanOrEqual(300)
  }
})
