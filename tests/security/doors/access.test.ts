import {
  defineTool,
  definePlugin,
  LOCAL_TENANT,
  ok,
  principalId,
  Tools,
  use,
  type JsonObject,
} from '@amodal/sdk'
import { reply, type ChatCompletionRequest, type Script } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CASES, judge, TIERS, type AccessCase, type Tier } from '../access/cases.ts'
import { BASE } from '../access/table.ts'
import { startApi, type ApiServer } from '../support/api-server.ts'
import { openDoor, type Door, type Heard } from '../support/door.ts'

/** Makes the call that the person's message is: a request, or another tool by its name. */
const does: Script = (request) => {
  if (request.messages.at(-1)?.role === 'tool') return reply.text('done')
  const words = lastWords(request)
  return reply.toolCalls([
    words.startsWith('{') ? { name: 'request', arguments: words } : { name: words, arguments: {} },
  ])
}
/** Its first line: what the client says of its user stands below. */
function lastWords({ messages }: ChatCompletionRequest): string {
  const content: unknown = messages.findLast(({ role }) => role === 'user')?.content
  return typeof content === 'string' ? (content.trim().split('\n')[0] ?? '') : ''
}
interface Made {
  readonly status?: string
  readonly result?: string
  readonly error?: string
}
const callOf = ({ body }: Heard): Made =>
  (body['tool_calls'] as unknown as readonly Made[])[0] ?? {} // of an answer of /chat/sync
const askOf = ({ body }: Heard): JsonObject | undefined =>
  (
    body['pending_input'] as unknown as
      | readonly { readonly pending_input_context: JsonObject }[]
      | undefined
  )?.[0]?.pending_input_context // the same

/** What became of a call: it ran, it asks, or it was refused. */
function tierOf(heard: Heard): Tier {
  const asked = askOf(heard)
  if (asked) return TIERS.find((tier) => tier === asked['tier']) ?? 'allow'
  const { status, error } = callOf(heard)
  if (status === 'success') return 'allow'
  return error?.startsWith('This call is not allowed') === true ? 'never' : 'refused'
}

/** Cases that a model can ask for as they stand, six of each tier, from all over the table. */
function sample(): readonly AccessCase[] {
  const askable = CASES.filter(
    ({ base, authHeader, delegated, request: { method, data }, request }) =>
      base === BASE &&
      authHeader === undefined &&
      delegated !== true &&
      !JSON.stringify(request).includes('example.com') &&
      JSON.stringify(request).isWellFormed() &&
      !(/^(get|head|options)$/i.test(method) && data !== undefined),
  )
  return TIERS.flatMap((tier) => {
    const ofTier = askable.filter((one) => one.tier === tier)
    return Array.from({ length: 6 }, (_, n) => ofTier[Math.floor(((n + 0.5) * ofTier.length) / 6)]!)
  })
}

describe('a sample of the table, through the server', () => {
  const cases = sample()
  const names = new Map(
    [...new Set(cases.map(({ access }) => JSON.stringify(access)))].map((access, n) => [
      access,
      `api${n}`,
    ]),
  )
  const nameOf = ({ access }: AccessCase): string => names.get(JSON.stringify(access)) ?? ''
  let api: ApiServer
  let door: Door
  beforeAll(async () => {
    api = await startApi(() => ({ body: { fine: true } }))
    door = await openDoor({
      script: does,
      files: Object.fromEntries(
        cases.flatMap((one) => [
          [`connections/${nameOf(one)}/spec.json`, { baseUrl: `${api.url}/v1` }],
          [`connections/${nameOf(one)}/access.json`, one.access],
        ]),
      ),
    })
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
  })

  test('has thirty cases', () => expect(new Set(cases.map(({ id }) => id)).size).toBe(30))

  test.each(cases.map((one) => [one.id, one] as const))('%s', async (_id, one) => {
    const before = api.came.length
    const heard = await door.say(JSON.stringify({ connection: nameOf(one), ...one.request }))
    expect(judge(one, () => tierOf(heard))).toMatchObject({ verdict: 'right' })
    expect(api.came.length - before, 'requests that came').toBe(tierOf(heard) === 'allow' ? 1 : 0)
  })
})

const ACCESS = {
  endpoints: {
    'GET /contacts/{id}': { returns: ['Contact'] },
    'GET /contacts/{id}/ssn': { returns: ['Contact'], confirm: 'never', reason: 'Nobody needs it' },
    'POST /deals': true,
    'POST /notes': 'allow',
    'DELETE /deals/{id}': 'never',
  },
  alternativeLookups: [
    {
      restrictedField: 'Contact.ssn',
      alternativeEndpoint: 'GET /contacts/{id}/verification-status',
      description: 'Says whether it was checked',
    },
  ],
}

describe('a connection with rules', () => {
  let api: ApiServer
  let door: Door
  beforeAll(async () => {
    api = await startApi(() => ({ body: { fine: true } }))
    const inner = (name: string, args: JsonObject, more: object = {}) =>
      defineTool({
        name,
        description: name,
        readOnly: false,
        input: z.object({}),
        ...more,
        execute: async (_args, ctx) => {
          const result = await ctx.call({ name: 'request', args })
          return {
            status: 'success',
            output:
              result.status === 'error'
                ? { code: result.code ?? '', message: result.message }
                : { status: result.status },
          }
        },
      })
    const elsewhere = defineTool({
      name: 'elsewhere',
      description: 'elsewhere',
      readOnly: false,
      input: z.object({}),
      execute: () => Promise.resolve({ status: 'success', output: 'it ran' }),
      action: () =>
        ok({
          connection: 'erp',
          protocol: 'rest',
          method: 'GET',
          path: '/x',
          query: {},
          headers: {},
          effect: 'read',
        }),
    })
    const tools = [
      inner('removes', { connection: 'crm', method: 'DELETE', endpoint: '/deals/7' }),
      inner('creates', {
        connection: 'crm',
        method: 'POST',
        endpoint: '/deals',
        data: { name: 'x' },
      }),
      elsewhere,
    ]
    const plugin = definePlugin({
      name: 'inner',
      version: '1.0.0',
      setup({ add }) {
        add(Tools, 'inner', { tools: () => tools })
      },
    })
    door = await openDoor({
      entries: [use(plugin)],
      files: {
        'connections/crm/spec.json': { baseUrl: `${api.url}/v1` },
        'connections/crm/access.json': ACCESS,
      },
      script: does,
    })
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
  })
  const request = (args: object): string => JSON.stringify({ connection: 'crm', ...args })

  test('tells another way to what it does not give', async () => {
    expect(callOf(await door.say(request({ endpoint: '/contacts/7/ssn' }))).error).toBe(
      'This call is not allowed: GET /v1/contacts/7/ssn: Nobody needs it; use instead: GET /contacts/{id}/verification-status (Says whether it was checked)',
    )
    expect(api.came).toEqual([])
  })

  test('shows each item of a bulk write to the person, and their number', async () => {
    const data = Array.from({ length: 60 }, (_, id) => ({ id }))
    expect(
      askOf(await door.say(request({ method: 'POST', endpoint: '/notes', data }))),
    ).toMatchObject({
      tier: 'review',
      escalated: true,
      endpoint: '/v1/notes',
      method: 'POST',
      connection_name: 'crm',
      rule: 'POST /notes',
      reason: 'POST /v1/notes: it is allowed; it changes 60 items at once',
      item_count: 60,
      items: data.slice(0, 50),
    })
  })

  test('is asked for calls that tools make, too', async () => {
    expect(JSON.parse(callOf(await door.say('removes')).result ?? '')).toEqual({
      code: 'TOOL_DENIED',
      message: 'This call is not allowed: DELETE /v1/deals/7: it is not allowed',
    })
    expect(JSON.parse(callOf(await door.say('creates')).result ?? '')).toMatchObject({
      code: 'APPROVAL_REQUIRED',
    })
    expect(api.came).toEqual([])
  })

  test('that is none is denied, whichever tool names it', async () => {
    expect(callOf(await door.say('elsewhere')).error).toBe(
      'This call is not allowed: there is no connection "erp"',
    )
  })

  test('asks more of a sub-agent, whatever its message says of itself', async () => {
    const { agent } = door.running
    const text = request({ method: 'POST', endpoint: '/deals', data: { name: 'x' } })
    const caller = { tenant: LOCAL_TENANT, principal: principalId('local') }
    const tiers = await Promise.all(
      [agent.as(caller), agent.as({ ...caller, delegated: true })].map(async (face) => {
        const turn = await face.ask({
          text,
          context: { delegated: 'false' },
          sessionState: { delegated: false },
        })
        return turn.ok ? turn.value.pending.map(({ context }) => context['tier']) : turn.error.code
      }),
    )
    expect(tiers).toEqual([['confirm'], ['review']])
  })
})

test('a connection with a rule that could never be asked is left out, and everybody is told', async () => {
  await using api = await startApi(() => ({ body: {} }))
  await using door = await openDoor({
    script: reply.toolsThenText(
      { name: 'request', arguments: { connection: 'crm', endpoint: '/x' } },
      'done',
    ),
    files: {
      'connections/crm/spec.json': { baseUrl: api.url },
      'connections/crm/access.json': {
        endpoints: { 'GET /deals': 'allow', 'DELETE /deals/:id': 'never' },
      },
      'connections/erp/spec.json': { baseUrl: api.url },
      'connections/erp/access.json': {},
    },
  })
  expect(callOf(await door.say('go'))).toMatchObject({ status: 'error' })
  expect(api.came).toEqual([])
  expect(door.running.agent.bundle()?.issues).toContainEqual({
    severity: 'error',
    code: 'BAD_REPO',
    message: '`DELETE /deals/:id`: ":id": write a parameter as {name}',
    file: 'connections/crm/access.json',
    line: 4,
    fix: 'write the path as in "GET /deals/{id}" or "* /admin/**"',
  })
  expect(door.log.join('\n')).toContain('connection.left_out')
  expect((await door.get('/health')).text).toContain('crm')
})
