/**
 * A request that changes something was written, and no whole answer came: it is told to be done, or
 * to be unknown, and never to have failed.
 */
import type { JsonObject } from '@amodal/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type ApiServer } from '../security/support/api-server.ts'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { calls, told } from '../security/support/told-script.ts'
import { outcomesOf } from './support/outcomes.ts'

const OPEN = { endpoints: { '* /**': false } }

let api: ApiServer
let door: Door
let held: { readonly arrived: () => void } | undefined
beforeAll(async () => {
  const seen = new Map<string, number>()
  api = await startApi(({ url }) => {
    const n = seen.get(url) ?? 0
    seen.set(url, n + 1)
    switch (url.split('/')[2]) {
      case 'cut':
        return { cut: true }
      case 'cut-then-busy':
        return n === 0 ? { cut: true } : { status: 503, body: 'busy' }
      case 'cut-then-no':
        return n === 0 ? { cut: true } : { status: 422, body: { error: 'amount' } }
      case 'cut-once':
        return n === 0 ? { cut: true } : { status: 201, body: { id: n } }
      case 'huge':
        return { status: 201, body: 'x'.repeat(200_000) }
      case 'huge-no':
        return { status: 422, body: 'x'.repeat(200_000) }
      // More is promised than comes.
      case 'half':
        return {
          status: 201,
          headers: { 'content-length': '100', connection: 'close' },
          body: '{"id":1',
        }
      case 'gateway':
        return { status: 504, body: 'the upstream did not answer' }
      case 'theirs':
        return { status: 201, body: { id: 7, owner: 'somebody else' } }
      case 'slow':
        held?.arrived()
        return n === 0 ? { delay: 120_000, body: {} } : { status: 201, body: { id: n } }
      default:
        return { body: { url } }
    }
  })
  const spec = { baseUrl: `${api.url}/v1`, limits: { timeoutMs: 60_000, maxBytes: 100_000 } }
  door = await openDoor({
    script: told,
    manifest: { runtime: { drainMs: 200 } },
    files: {
      'connections/crm/spec.json': spec,
      'connections/crm/access.json': OPEN,
      'connections/keyed/spec.json': { ...spec, idempotent: true },
      'connections/keyed/access.json': OPEN,
      'connections/rows/spec.json': spec,
      'connections/rows/access.json': {
        endpoints: { 'POST /theirs': { returns: ['deal'], confirm: false } },
        rowScoping: {
          deal: { owner: { type: 'field_match', userContextField: 'userId', label: 'your deals' } },
        },
      },
      'tools/pays/tool.json': {
        name: 'pays',
        description: 'Pays.',
        confirm: false,
        parameters: { type: 'object', properties: {} },
      },
      'tools/pays/handler.ts':
        "export default async (_params, ctx) => {\n  try {\n    return await ctx.request('crm', '/cut/inner', { method: 'POST', data: { amount: 5 } })\n  } catch {\n    throw new Error('the payment did not work')\n  }\n}\n",
    },
  })
}, 60_000)
afterAll(async () => {
  await door[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

async function outcome(message: string) {
  const events = await door.stream(message)
  const [first] = await outcomesOf(
    door,
    textIn(
      events.find(({ type }) => type === 'init'),
      'session_id',
    ),
  )
  return first
}
const post = (connection: string, endpoint: string, more: JsonObject = {}) =>
  outcome(calls({ connection, endpoint, method: 'POST', data: { amount: 5 }, ...more }))
const came = (path: string) => api.came.filter(({ url }) => url === path)

describe('the connection broke after the target had read it', () => {
  test('with a key, every time: the outcome is unknown, with all that is needed to look and to do it again', async () => {
    const kept = await post('keyed', '/cut/keyed')
    const key = `${String(kept?.run)}:${String(kept?.call)}`
    expect(kept).toMatchObject({
      status: 'unknown',
      code: 'OUTCOME_UNKNOWN',
      in_doubt: [
        {
          call: kept?.call,
          name: 'request',
          key,
          keyed: true,
          target: { connection: 'keyed', method: 'POST', path: '/v1/cut/keyed' },
          args: { endpoint: '/cut/keyed', data: { amount: 5 } },
        },
      ],
    })
    expect(came('/v1/cut/keyed').map(({ headers }) => headers['idempotency-key'])).toEqual([
      key,
      key,
      key,
    ])
  })

  test('without a key: once, and unknown', async () => {
    expect(await post('crm', '/cut/plain')).toMatchObject({
      status: 'unknown',
      in_doubt: [{ keyed: false, target: { connection: 'crm', path: '/v1/cut/plain' } }],
    })
    expect(came('/v1/cut/plain')).toHaveLength(1)
  })

  test('with a key, and the second try says what became of it, or does not', async () => {
    expect(await post('keyed', '/cut-once/a')).toMatchObject({ status: 'success' })
    expect(await post('keyed', '/cut-then-no/a')).toMatchObject({
      status: 'error',
      code: 'TARGET_ERROR',
    })
    expect(await post('keyed', '/cut-then-busy/a')).toMatchObject({ status: 'unknown' })
  })

  test('inside of a handler that has words of its own for it: it is unknown all the same', async () => {
    const kept = await outcome(JSON.stringify([{ name: 'pays', arguments: {} }]))
    expect(kept).toMatchObject({
      status: 'unknown',
      output: expect.stringMatching(/the payment did not work.*unknown: check before repeating/s),
      in_doubt: [
        {
          call: `${String(kept?.call)}/1`,
          name: 'request',
          key: `${String(kept?.run)}:${String(kept?.call)}/1`,
          keyed: false,
          target: { connection: 'crm', path: '/v1/cut/inner' },
          args: { data: { amount: 5 } },
        },
      ],
    })
  })
})

describe('it was answered, and the answer cannot be told', () => {
  test.each([
    ['huge', 'crm answered 201 to POST /v1/huge/a'],
    ['half', 'crm answered 201 to POST /v1/half/a'],
  ])('since it is %s: it was done', async (kind, text) => {
    expect(await post('crm', `/${kind}/a`)).toMatchObject({
      status: 'success',
      output: { status: 201, done: true, note: expect.stringContaining(text) },
    })
    expect(came(`/v1/${kind}/a`)).toHaveLength(1)
  })

  test('a refusal that is huge is a refusal, and a read that is huge has failed', async () => {
    expect(await post('crm', '/huge-no/a')).toMatchObject({
      status: 'error',
      code: 'TARGET_ERROR',
      output: expect.stringContaining('answered 422'),
    })
    expect(await outcome(calls({ connection: 'crm', endpoint: '/huge/r' }))).toMatchObject({
      status: 'error',
      code: 'TOO_LARGE',
    })
  })

  test("since it is somebody else's row: it was done, and nothing of the row is told", async () => {
    const kept = await post('rows', '/theirs')
    expect(kept).toMatchObject({
      status: 'success',
      output: { done: true, scope: 'only your deals' },
    })
    expect(JSON.stringify(kept?.output)).not.toContain('somebody else')
  })
})

test('a gateway that had no answer of the target: whether it was done is unknown', async () => {
  expect(await post('crm', '/gateway/a')).toMatchObject({
    status: 'unknown',
    output: expect.stringContaining('crm answered 504'),
  })
})

test.each([
  ['keyed', 'success'],
  ['crm', 'unknown'],
])(
  'a server that stops in the middle of a call of %s: %s',
  async (connection, status) => {
    const arrived = Promise.withResolvers<void>()
    held = { arrived: arrived.resolve }
    const path = `/v1/slow/${connection}`
    const turn = door
      .stream(
        calls({ connection, endpoint: `/slow/${connection}`, method: 'POST', data: { amount: 5 } }),
      )
      .catch(() => [])
    await arrived.promise
    const listed = (await door.get('/sessions')).body[
      'sessions'
    ] as unknown as readonly JsonObject[] // the answer's own list
    const session = textIn(listed[0], 'id') || textIn(listed[0], 'session_id')
    await door.restart()
    await turn
    await expect
      .poll(async () => (await outcomesOf(door, session)).length, { timeout: 60_000 })
      .toBe(1)
    const [kept] = await outcomesOf(door, session)
    expect(kept).toMatchObject({
      status,
      ...(status === 'unknown' && { in_doubt: [{ keyed: false, target: { connection, path } }] }),
    })
    const keys = came(path).map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(connection === 'keyed' ? 2 : 1)
    expect(new Set(keys)).toEqual(new Set([`${String(kept?.run)}:${String(kept?.call)}`]))
  },
  120_000,
)
