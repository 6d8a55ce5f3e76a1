import {
  definePlugin,
  defineTool,
  Tools,
  use,
  type JsonObject,
  type ToolContext,
} from '@amodal/sdk'
import { reply, type ChatCompletionRequest } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openDoor, type Door, type DoorOptions, type Heard } from '../support/door.ts'

const skill = (name: string): string =>
  `# Skill: ${name}\n\nHow to do it.\n\nTrigger: When ${name} is meant.\n\nStep one of ${name}.\n`
const FILES: NonNullable<DoorOptions['files']> = {
  'roles/analyst.json': {
    name: 'analyst',
    tools: ['request', 'report', 'github__*'],
    skills: ['Triage'],
    connections: ['crm'],
    automations: { can_view: true, can_create: false },
    constraints: {},
  },
  'roles/clerk.json': { tools: ['pay'], skills: [] },
  'roles/boss.json': { tools: '*', skills: ['*'] },
  'roles/torn.json': '{ "tools": [',
  'skills/triage.md': skill('Triage'),
  'skills/payroll.md': skill('Payroll'),
  'connections/crm/spec.json': { baseUrl: 'http://127.0.0.1:9/v1' },
  'connections/crm/access.json': {},
  'connections/crm/rules.md': 'Ask the CRM first.',
  'connections/erp/spec.json': { baseUrl: 'http://127.0.0.1:9/v1' },
  'connections/erp/access.json': {},
  'connections/erp/rules.md': 'The ERP is slow.',
}
/** Whatever nobody but the boss may hear of. */
const FORBIDDEN = /\bpay\b|github_secret|payroll|\berp\b/i

const KEYS: Readonly<Record<string, readonly string[]>> = {
  clerk: ['clerk'],
  ana: ['analyst'],
  ben: ['analyst'],
  cleo: ['analyst', 'clerk'],
  boss: ['boss'],
  none: [],
  odd: ['Analyst'],
  torn: ['torn'],
  half: ['gone', 'clerk'],
}
const keyOf = (who: string): string => `amodal_${who.padEnd(12, 'a')}_${who.padEnd(43, '0')}`
const by = (who: string): Record<string, string> => ({ authorization: `Bearer ${keyOf(who)}` })

const tool = (name: string, more: object = {}) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    readOnly: false,
    input: z.object({}),
    execute: async (_args, ctx) => ({
      status: 'success',
      output: name === 'report' ? await inner('pay', ctx.call) : `${name} ran`,
    }),
    ...more,
  })
async function inner(name: string, call: ToolContext['call']): Promise<JsonObject> {
  const [one, other] = await Promise.all(
    [name, 'nowhere'].map(async (tried) => {
      const result = await call({ name: tried, args: {} })
      return result.status === 'error'
        ? `${result.code}: ${result.message}`.replaceAll('nowhere', name)
        : result.status
    }),
  )
  return { one: one ?? '', other: other ?? '' }
}
const TOOLS = definePlugin({
  name: 'office',
  version: '1.0.0',
  setup({ add }) {
    add(Tools, 'office', {
      tools: () => [tool('pay'), tool('report'), tool('github__list'), tool('github_secret')],
    })
  },
})

function open(options: Partial<DoorOptions> = {}, roles: JsonObject = {}): Promise<Door> {
  const keys = Object.entries(KEYS).map(([name, held]) => ({
    key: `env:KEY_${name.toUpperCase()}`,
    name,
    roles: held,
    scopes: ['*'],
  }))
  return openDoor({
    script: reply.text('Hello.'),
    files: FILES,
    entries: [use(TOOLS)],
    ...options,
    manifest: {
      plugins: [
        ['auth', { keys }],
        ['roles', roles],
      ],
    },
    env: Object.fromEntries(
      Object.keys(KEYS).map((name) => [`KEY_${name.toUpperCase()}`, keyOf(name)]),
    ),
  })
}

/** What the model was told for somebody. */
async function told(
  door: Door,
  who: string,
): Promise<{ readonly tools: readonly string[]; readonly prompt: string; readonly all: string }> {
  const { status } = await door.say('Hello?', {}, by(who))
  expect(status).toBe(200)
  const { body } = door.model.requests.at(-1)!
  return {
    tools: namesOf(body),
    prompt: JSON.stringify(body.messages[0]),
    all: JSON.stringify({ messages: body.messages, tools: body.tools }),
  }
}
const namesOf = ({ tools = [] }: ChatCompletionRequest): readonly string[] =>
  tools.map((one) => one.function.name).sort()
interface Made {
  readonly status?: string
  readonly result?: string
  readonly error?: string
}
const resultOf = ({ body }: Heard): Made =>
  (body['tool_calls'] as unknown as readonly Made[])[0] ?? {} // of an answer of /chat/sync

describe('an agent with roles', () => {
  let door: Door
  beforeAll(async () => {
    door = await open()
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
  })

  /** What becomes of a call that the model makes for somebody. */
  async function call(who: string, name: string, args: JsonObject = {}): Promise<Made> {
    door.model.play(reply.toolsThenText({ name, arguments: args }, 'done'))
    const result = resultOf(await door.say('Go on.', {}, by(who)))
    door.model.play(reply.text('Hello.'))
    return result
  }

  test('tells the model what the role names, and nothing else', async () => {
    const ana = await told(door, 'ana')
    expect(ana.tools).toEqual(['github__list', 'report', 'request'])
    expect(ana.prompt).toContain('Step one of Triage')
    expect(ana.prompt).toContain('Ask the CRM first.')
    expect(ana.all).not.toMatch(FORBIDDEN)
    const boss = await told(door, 'boss')
    expect(boss.tools).toEqual(
      expect.arrayContaining(['github_secret', 'pay', 'present', 'request']),
    )
    expect(boss.prompt).toMatch(/Payroll[\s\S]*The ERP is slow/)
  })

  test('sends everybody of a role the same bytes, run after run', async () => {
    const [first, again, other] = [
      await told(door, 'ana'),
      await told(door, 'ana'),
      await told(door, 'ben'),
    ]
    expect(again.all).toBe(first.all)
    expect(other.all).toBe(first.all)
  })

  test('joins what several roles allow', async () => {
    const cleo = await told(door, 'cleo')
    expect(cleo.tools).toEqual(['github__list', 'pay', 'report', 'request'])
    expect(cleo.prompt).toContain('The ERP is slow.') // the clerk names no connections: all of them
  })

  test('answers a call of a forbidden tool as one of a tool that is not there', async () => {
    const [forbidden, unknown] = [await call('ana', 'pay'), await call('ana', 'nowhere')]
    expect(forbidden.error).toBe(unknown.error?.replaceAll('nowhere', 'pay'))
    expect(unknown.error).toBe(
      'There is no tool "nowhere". There are: request, report, github__list.',
    )
    expect(await call('cleo', 'pay')).toMatchObject({ status: 'success', result: 'pay ran' })
  })

  test('and so a call that an allowed tool makes', async () => {
    const { one, other } = JSON.parse((await call('ana', 'report')).result ?? '') as JsonObject
    expect(one).toBe('TOOL_UNKNOWN: "report" can call no tool "pay"')
    expect(other).toBe(one)
    expect(JSON.parse((await call('cleo', 'report')).result ?? '')).toMatchObject({
      one: 'success',
    })
  })

  test('answers a request of a forbidden connection as one of a connection that is not there', async () => {
    const [forbidden, unknown] = [
      await call('ana', 'request', { connection: 'erp', endpoint: '/x' }),
      await call('ana', 'request', { connection: 'nowhere', endpoint: '/x' }),
    ]
    expect(forbidden.status).toBe('error')
    expect(forbidden.error).toBe(unknown.error?.replaceAll('nowhere', 'erp'))
  })

  test('shows in inspect what whoever looks may know of', async () => {
    const context = async (who: string): Promise<string> =>
      (await door.get('/inspect/context', by(who))).text
    expect(await context('ana')).toContain('report')
    expect(await context('ana')).not.toMatch(FORBIDDEN)
    expect(await context('boss')).toMatch(/pay[\s\S]*erp/)
    for (const path of ['/inspect/connections', '/inspect/connections/erp']) {
      const { text } = await door.get(path, by('ana'))
      expect(text.replaceAll('/inspect/connections/erp', ''), path).not.toMatch(
        /slow|"name":"erp"|127\.0\.0\.1:9\/v1.*erp/,
      )
    }
    expect((await door.get('/inspect/connections/erp', by('ana'))).text).toBe(
      (await door.get('/inspect/connections/nowhere', by('ana'))).text.replaceAll('nowhere', 'erp'),
    )
  })

  test.each(['none', 'odd', 'torn'])(
    'allows nothing to somebody without a role that it knows (%s)',
    async (who) => {
      const { tools, all } = await told(door, who)
      expect(tools).toEqual([])
      expect(all).not.toMatch(FORBIDDEN)
      expect((await call(who, 'report')).error).toContain('There is no tool "report"')
    },
  )

  test('says in the log who has a role that is not there', async () => {
    expect((await told(door, 'half')).tools).toEqual(['pay'])
    const lines = door.log.filter((line) => line.includes('role.unknown'))
    for (const role of ['gone', 'Analyst', 'torn'])
      expect(
        lines.some((line) => line.includes(`"${role}"`)),
        role,
      ).toBe(true)
    expect(door.log.some((line) => line.includes('role.none'))).toBe(true)
  })

  test('complains of a file that is no role', () => {
    expect(door.running.agent.bundle()?.issues).toContainEqual(
      expect.objectContaining({ severity: 'error', file: 'roles/torn.json' }),
    )
  })
})

test('those who have no role have the default one', async () => {
  await using door = await open({}, { defaultRole: 'clerk' })
  expect((await told(door, 'none')).tools).toEqual(['pay'])
  expect((await told(door, 'ana')).tools).not.toContain('pay')
})

test('without files of roles everybody may use everything, whatever they are called', async () => {
  await using door = await open({ files: {} })
  for (const who of ['ana', 'none'])
    expect((await told(door, who)).tools).toEqual(
      expect.arrayContaining(['github_secret', 'pay', 'report']),
    )
})

test('a run that waits goes on with the role it began with', async () => {
  await using door = await open({
    entries: [
      use(
        definePlugin({
          name: 'office',
          version: '1.0.0',
          setup({ add }) {
            add(Tools, 'office', {
              tools: () => [tool('pay', { tier: 'confirm' }), tool('report')],
            })
          },
        }),
      ),
    ],
    script: reply.toolsThenText(
      [
        { name: 'pay', arguments: {} },
        { name: 'report', arguments: {} },
      ],
      'done',
    ),
  })
  const { body } = await door.say('Pay.', {}, by('half'))
  await door.restart()
  const [pending] = body['pending_input'] as unknown as readonly JsonObject[] // of a 202
  expect(
    (
      await door.answer(
        { session_id: body['session_id'] ?? '', id: pending?.['id'] ?? '', approved: true },
        by('half'),
      )
    ).status,
  ).toBe(200)
  await expect
    .poll(() => JSON.stringify(door.model.requests.at(-1)?.body.messages))
    .toContain('pay ran')
  expect(namesOf(door.model.requests.at(-1)!.body)).toEqual(['pay'])
  expect(JSON.stringify(door.model.requests.at(-1)?.body.messages)).toContain(
    'There is no tool \\"report\\"',
  )
})

describe('stores and what is wrong', () => {
  const store = (name: string) => ({
    description: `Holds ${name}.`,
    entity: {
      name: name === 'notes' ? 'Note' : 'Wage',
      key: '{id}',
      schema: { id: { type: 'string' }, text: { type: 'string' } },
    },
  })
  const files = {
    ...FILES,
    'roles/analyst.json': { tools: ['query_store', 'store_notes'] },
    'roles/clerk.json': { tools: ['report'] },
    'stores/notes.json': store('notes'),
    'stores/wages.json': store('wages'),
    'connections/odd/spec.json': '{',
  }
  let door: Door
  beforeAll(async () => {
    door = await open({ files })
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
  })

  test('stand in the prompt and in the API as far as a role may use their tools', async () => {
    const analyst = await told(door, 'ben')
    expect(analyst.prompt).toContain('Read with query_store, write with store_notes.')
    expect(analyst.prompt).toMatch(/wages.*Read with query_store; it cannot be written/)
    expect(analyst.prompt).not.toMatch(/store_notes_batch|store_wages|delete_from_store/)
    const half = (await told(door, 'clerk')).prompt
    expect(half).not.toMatch(/## Stores|query_store|wages/)
    expect((await told(door, 'boss')).prompt).toContain('store_wages or store_wages_batch')

    const put = (name: string, who: string) =>
      door.post(`/api/stores/${name}`, { id: 'a', text: 'x' }, by(who))
    expect(
      [
        await put('notes', 'ben'),
        await put('wages', 'ben'),
        await put('notes', 'clerk'),
        await put('wages', 'boss'),
      ].map(({ status }) => status),
    ).toEqual([201, 403, 404, 201])
    const listed = async (who: string) =>
      ((await door.get('/api/stores', by(who))).body['stores'] as readonly JsonObject[]).map(
        ({ name }) => name,
      )
    expect([await listed('ben'), await listed('clerk')]).toEqual([['notes', 'wages'], []])
    const configured = async (who: string) =>
      ((await door.get('/api/config', by(who))).body['stores'] as JsonObject)['names']
    expect([await configured('boss'), await configured('clerk')]).toEqual([['notes', 'wages'], []])
    expect((await door.get('/api/stores/notes/a', by('clerk'))).text).toBe(
      (await door.get('/api/stores/none/a', by('clerk'))).text.replaceAll('none', 'notes'),
    )
    expect(
      (await fetch(`${door.url}/api/stores/notes/a`, { method: 'DELETE', headers: by('ben') }))
        .status,
    ).toBe(403)
  })

  test('is told by its files to those who may know of all, and counted for others', async () => {
    for (const path of ['/health', '/inspect/health']) {
      expect(JSON.stringify((await door.get(path, by('boss'))).body['problems'])).toContain(
        'connections/odd/spec.json',
      )
      const { text, body } = await door.get(path, by('ben'))
      expect(body['problems']).toEqual([expect.stringMatching(/^\d+ problems?: ask/)])
      expect(text).not.toMatch(/connections\/odd|roles\/torn/)
    }
  })
})
