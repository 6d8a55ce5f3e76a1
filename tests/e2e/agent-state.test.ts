/** State that belongs to the agent: all sessions of a tenant change it, and none of it is lost. */

import type { JsonObject } from '@amodal/sdk'
import { ClientError, createClient, type Client, type LiveState } from '@amodal/sdk/client'
import { contentText, reply, type Script } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { as, keysOf } from '../security/support/people.ts'
import { startPostgres } from '../support/postgres.ts'

const property = (schema: JsonObject, scope: 'agent' | 'session' = 'agent'): JsonObject => ({
  ...schema,
  scope,
  visibility: 'public',
  write: ['model', 'tools', 'api'],
})
const MANIFEST = {
  limits: { max_tool_rounds: 3 },
  state: {
    properties: {
      visits: property({ type: 'integer', default: 0, maximum: 1_000 }),
      names: property({ type: 'array', items: { type: 'string' }, default: [] }),
      marks: property({ type: 'object', default: {} }),
      motto: property({ type: 'string', default: '' }),
      own: property({ type: 'integer', default: 0 }, 'session'),
      secret: { type: 'integer', default: 0, scope: 'agent', write: ['tools'] },
    },
  },
  expressions: { instructions: 'There were {{ state.visits }} visits.' },
}
const VISIT = {
  'tools/visit.ts': `import { defineToolHandler } from '@amodal/sdk'
export default defineToolHandler({
  description: 'Writes a visit down.',
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  mutating: true,
  taint: 'ignore',
  handler: async ({ name }, ctx) => {
    const { visits, names, marks, own, secret } = ctx.state.get()
    await ctx.state.set({ visits: visits + 1, marks: { ...marks, [name]: visits }, own: own + 1 })
    return ctx.state.patch([
      { op: 'add', path: '/names/-', value: name },
      { op: 'test', path: '/visits', value: visits + 1 },
      { op: 'replace', path: '/secret', value: secret + 1 },
    ])
  },
})`,
}

/** `visit NAME` calls the handler; `motto TEXT` is the model's own change. */
const script: Script = ({ messages }) => {
  const last = messages.at(-1)
  if (last?.role !== 'user') return reply.text('Done.')
  const [what = '', name = ''] = contentText(last).split(' ')
  if (what === 'visit') return reply.toolCalls([{ name: 'visit', arguments: { name } }])
  return what === 'motto'
    ? reply.toolCalls([{ name: 'update_state', arguments: { motto: name } }])
    : reply.text('Hello.')
}

const PEOPLE = keysOf({ ann: { tenant: 'a' }, bob: { tenant: 'b' } })
const clientOf = (door: Door, name: string): Client =>
  createClient({ url: door.url, headers: as(name) })

describe.each(['pglite', 'postgres'] as const)('on %s', (database) => {
  async function open(): Promise<Door> {
    const postgres = database === 'postgres' ? await startPostgres() : undefined
    onTestFinished(() => postgres?.stop())
    const url = await postgres?.createDatabase()
    return openDoor({
      preset: 'dev',
      env: PEOPLE,
      manifest: {
        ...MANIFEST,
        ...(url !== undefined && { stores: { backend: 'postgres', postgresUrl: url } }),
      },
      files: VISIT,
      script,
    })
  }

  test('sessions that change it at the same time lose nothing of each other', async () => {
    await using door = await open()
    const [sessions, visits] = [8, 5]
    const ends = await Promise.all(
      Array.from({ length: sessions }, async (_, n) => {
        let session: string | undefined
        for (let visit = 0; visit < visits; visit++) {
          const said = await door.say(
            `visit s${n}v${visit}`,
            session === undefined ? {} : { session_id: session },
            as('ann'),
          )
          expect(said.body, said.text).toMatchObject({ reason: 'model_stop' })
          session = textIn(said.body, 'session_id')
        }
        return session ?? ''
      }),
    )
    const wanted = Array.from(
      { length: sessions * visits },
      (_, n) => `s${n % sessions}v${Math.floor(n / sessions)}`,
    )
    for (const session of ends) {
      const { state } = await clientOf(door, 'ann').state(session)
      expect(state).toMatchObject({ visits: sessions * visits, own: visits })
      expect([...(state['names'] as string[])].sort()).toEqual(wanted.toSorted()) // declared so
      expect(Object.keys(state['marks'] as JsonObject).sort()).toEqual(wanted.toSorted())
    }
    // A new session begins with it, is told of it, and changes it further; also after a restart.
    await door.restart()
    const next = await door.say('visit later', {}, as('ann'))
    expect(JSON.stringify(door.model.requests.at(-1)?.body.messages)).toContain(
      `There were ${sessions * visits} visits.`,
    )
    const later = await clientOf(door, 'ann').state(textIn(next.body, 'session_id'))
    expect(later.state).toMatchObject({ visits: sessions * visits + 1, own: 1 })
    // Another tenant has its own.
    const other = await door.say('visit bob', {}, as('bob'))
    const theirs = await clientOf(door, 'bob').state(textIn(other.body, 'session_id'))
    expect(theirs.state).toMatchObject({ visits: 1, names: ['bob'] })
    const rows = await door.dump()
    expect(rows).toContain('"secret"')
  })

  test('clients follow it in any session, and write it for a version', async () => {
    await using door = await open()
    const [one, two] = await Promise.all(
      ['first', 'second'].map(async (text) =>
        textIn((await door.say(text, {}, as('ann'))).body, 'session_id'),
      ),
    )
    const client = clientOf(door, 'ann')
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const seen: LiveState[] = []
    const followed = (async () => {
      for await (const now of client.followState(two ?? '', { signal: stop.signal })) {
        seen.push(now)
        if (now.state['motto'] === 'all' && now.state['visits'] === 1) return
      }
    })()
    await door.say('visit ann', { session_id: one ?? '' }, as('ann'))
    const { version } = await client.state(two ?? '')
    await client.changeState(one ?? '', { own: 7 }, '*')
    const there = await client.state(one ?? '')
    await client.changeState(one ?? '', { motto: 'all' }, there.version)
    await followed
    expect(seen.at(-1)?.state).toMatchObject({ visits: 1, names: ['ann'], motto: 'all', own: 0 })
    expect(seen.every(({ state }) => !('secret' in state))).toBe(true)
    const late = client.changeState(two ?? '', { motto: 'late' }, version)
    await expect(late).rejects.toThrow(ClientError)
    await expect(late).rejects.toMatchObject({ code: 'STATE_CONFLICT', status: 412 })
    // Of many who write for one version, one is heard.
    const before = (await client.state(two ?? '')).version
    const written = await Promise.allSettled(
      Array.from({ length: 6 }, (_, n) =>
        client.changeState(
          (n % 2 === 0 ? one : two) ?? '',
          { visits: 100 + n },
          n % 2 === 0 ? '*' : before,
        ),
      ),
    )
    const refused = written.filter(({ status }) => status === 'rejected')
    for (const { reason } of refused as PromiseRejectedResult[])
      expect(reason).toMatchObject({ code: 'STATE_CONFLICT', status: 412 })
    const end = await client.state(two ?? '')
    expect(end.state['visits']).toBeGreaterThanOrEqual(100)
  })
})

test('of two turns that set the same text, one counts, and the other is told', async () => {
  const both = Promise.withResolvers<void>()
  let arrived = 0
  await using door = await openDoor({
    env: PEOPLE,
    manifest: MANIFEST,
    files: VISIT,
    script: async (request, n) => {
      // Both turns have begun before either goes on.
      if (request.messages.at(-1)?.role === 'user' && ++arrived === 2) both.resolve()
      await both.promise
      return script(request, n)
    },
  })
  const said = await Promise.all(
    ['one', 'two'].map((name) => door.say(`motto ${name}`, {}, as('ann'))),
  )
  const [good] = said.filter(({ body }) => body['reason'] === 'model_stop')
  const [bad] = said.filter(({ body }) => body['reason'] === 'error')
  expect(good?.status).toBe(200)
  expect(bad).toMatchObject({ body: { error: { code: 'STATE_CONFLICT' } } })
  const session = textIn(good?.body, 'session_id')
  const won = said[0] === good ? 'one' : 'two'
  expect((await clientOf(door, 'ann').state(session)).state['motto']).toBe(won)
  // Whoever was refused asks again, and then it counts.
  const again = await door.say(
    'motto third',
    { session_id: textIn(bad?.body, 'session_id') },
    as('ann'),
  )
  expect(again.body['reason']).toBe('model_stop')
  expect((await clientOf(door, 'ann').state(session)).state['motto']).toBe('third')
})
