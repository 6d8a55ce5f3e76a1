import confirmations from '@amodal/plugin-confirmations'
import roles from '@amodal/plugin-roles'
import subagents from '@amodal/plugin-subagents'
import {
  Agent,
  Authenticator,
  definePlugin,
  defineTool,
  LOCAL_TENANT,
  ok,
  principalId,
  sessionId,
  use,
  type Entry,
} from '@amodal/sdk'
import { endsWithToolResult, reply, type Script } from '@amodal/sdk/testing'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  boot,
  IN_MEMORY,
  onPglite,
  startReceiver,
  until,
  type Booted,
  type Json,
} from './support.ts'

const PAY = { name: 'pay', arguments: { amount: 12 } }

/** A tool that asks before it does anything, and what it has done. */
const paying = (paid: number[]): Entry =>
  use(
    definePlugin({
      name: 'paying',
      version: '1.0.0',
      setup({ addTool }) {
        addTool(
          defineTool({
            name: 'pay',
            description: 'Pays.',
            readOnly: false,
            tier: 'confirm',
            input: z.object({ amount: z.number() }),
            execute: async ({ amount }) => {
              paid.push(amount)
              return { status: 'success', output: { paid: amount } }
            },
          }),
        )
      },
    }),
  )

interface Paying {
  readonly fields?: object
  readonly storage?: readonly Entry[]
  readonly confirmations?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  readonly paid?: number[]
  readonly files?: Readonly<Record<string, object>>
  readonly plugins?: readonly Entry[]
  readonly automations?: false
  readonly script?: Script
}

const payer = (world: Paying = {}): Promise<Booted> =>
  boot({
    files: {
      'automations/pay.json': { prompt: 'Pay the bill.', writeEnabled: true, ...world.fields },
      ...world.files,
    },
    storage: world.storage ?? IN_MEMORY,
    env: world.env ?? {},
    ...(world.automations === false && { automations: false }),
    plugins: [
      use(confirmations, world.confirmations ?? {}),
      paying(world.paid ?? []),
      ...(world.plugins ?? []),
    ],
    script:
      world.script ??
      ((request) =>
        endsWithToolResult(request) ? reply.text('Done what I could.') : reply.toolCalls(PAY)),
  })

/** The question of a run that waits. */
async function asked(agent: Booted, run: Json) {
  const session = sessionId(String(run['session_id']))
  const view = await agent.client.session(session)
  const [ask] = view.ok ? view.value.asks : []
  if (!ask) throw new Error('the run asks nothing')
  return { session, ask }
}

async function answer(agent: Booted, run: Json, approved: boolean) {
  const { session, ask } = await asked(agent, run)
  return agent.client.answer(session, [{ id: ask.id, answer: { approved } }])
}

const ended = async (agent: Booted): Promise<Json> => {
  const [run = {}] = await agent.runs('pay', ([one]) => one?.['ended_at'] !== undefined)
  return run
}

describe.each([
  ['in memory', () => IN_MEMORY],
  ['on PGlite', () => onPglite()],
])('a run that needs an approval, %s', (_, storage) => {
  test('waits for it, tells its targets, and goes on with what was approved', async () => {
    const receiver = await startReceiver()
    const paid: number[] = []
    const delivery = { targets: [{ type: 'webhook', url: 'env:TARGET' }] }
    const env = { TARGET: `${receiver.url}/result` }
    const agent = await payer({ paid, storage: storage(), fields: { delivery }, env })
    const run = await agent.run('pay')
    expect(run).toMatchObject({ status: 'waiting', waiting_since: expect.any(String) as string })
    expect(paid).toEqual([])
    const { ask } = await asked(agent, run)
    const notice = await until(() => receiver.received[0])
    expect(JSON.parse(notice.body)).toMatchObject({
      automation: 'pay',
      status: 'waiting',
      run_id: run['run_id'],
      session_id: run['session_id'],
      message: 'The automation "pay" waits for a person to approve a call of pay.',
      pending_input: { id: ask.id, tool_name: 'pay', expires_at: expect.any(String) as string },
    })
    expect(agent.events).toContainEqual(
      expect.objectContaining({ type: 'automations.waiting', automation: 'pay', asks: 1 }),
    )
    expect(await agent.get('/automations')).toMatchObject({
      automations: [{ name: 'pay', lastRunStatus: 'waiting' }],
    })

    expect(await answer(agent, run, true)).toMatchObject({ ok: true })
    expect(await ended(agent)).toMatchObject({ run_id: run['run_id'], status: 'completed' })
    expect(paid).toEqual([12])
    const result = await until(() => receiver.received[1])
    expect(JSON.parse(result.body)).toMatchObject({ status: 'success', run_id: run['run_id'] })
    expect(receiver.received).toHaveLength(2)
  })

  test('goes on without a call that was declined, and names it', async () => {
    const paid: number[] = []
    const agent = await payer({ paid, storage: storage() })
    await answer(agent, await agent.run('pay'), false)
    expect(await ended(agent)).toMatchObject({ status: 'completed', refused: [{ tool: 'pay' }] })
    expect(paid).toEqual([])
  })

  test('goes on when nobody answers in time', async () => {
    const agent = await payer({ storage: storage(), confirmations: { expiresMinutes: 0.005 } })
    expect(await agent.run('pay')).toMatchObject({ status: 'waiting' })
    expect(await ended(agent)).toMatchObject({ status: 'completed', refused: [{ tool: 'pay' }] })
  })

  test('ends when it is cancelled', async () => {
    const agent = await payer({ storage: storage() })
    const run = await agent.run('pay')
    const { session } = await asked(agent, run)
    await agent.client.cancel(session)
    expect(await ended(agent)).toMatchObject({
      status: 'failed',
      error: 'the run was cancelled',
    })
  })
})

test('with `"approvals": "refuse"` it does not wait, and the call is named', async () => {
  const paid: number[] = []
  const agent = await payer({ paid, fields: { approvals: 'refuse' } })
  expect(await agent.run('pay')).toMatchObject({
    status: 'completed',
    refused: [{ tool: 'pay', reason: expect.stringContaining('"approvals": "refuse"') as string }],
  })
  expect(paid).toEqual([])
})

test('a sub-agent that needs an approval lets the run wait as well', async () => {
  const paid: number[] = []
  const agent = await payer({
    paid,
    plugins: [use(subagents)],
    script: (request) => {
      if (endsWithToolResult(request)) return reply.text('Done what I could.')
      return JSON.stringify(request.messages.at(-1)).includes('child task')
        ? reply.toolCalls(PAY)
        : reply.toolCalls({ name: 'dispatch_task', arguments: { prompt: 'child task' } })
    },
  })
  const run = await agent.run('pay')
  expect(run).toMatchObject({ status: 'waiting' })
  await answer(agent, run, true)
  expect(await ended(agent)).toMatchObject({ status: 'completed' })
  expect(paid).toEqual([12])
})

test('of two calls at once each is asked for, and both are waited for', async () => {
  const receiver = await startReceiver()
  const paid: number[] = []
  const agent = await payer({
    paid,
    fields: { delivery: { targets: [{ type: 'webhook', url: 'env:TARGET' }] } },
    env: { TARGET: `${receiver.url}/result` },
    script: (request) =>
      endsWithToolResult(request)
        ? reply.text('Done what I could.')
        : reply.toolCalls([PAY, { name: 'pay', arguments: { amount: 13 } }]),
  })
  const run = await agent.run('pay')
  await until(() => receiver.received[1])
  const { session } = await asked(agent, run)
  const view = await agent.client.session(session)
  const [first, second] = view.ok ? view.value.asks : []
  if (!first || !second) throw new Error('the run asks less than twice')
  await agent.client.answer(session, [{ id: first.id, answer: { approved: true } }])
  expect(await agent.get('/automations/pay/runs')).toMatchObject({ runs: [{ status: 'waiting' }] })
  await agent.client.answer(session, [{ id: second.id, answer: { approved: true } }])
  expect(await ended(agent)).toMatchObject({ status: 'completed' })
  expect(paid).toEqual([12, 13])
  await until(() => receiver.received[2])
  expect(receiver.received.map(({ body }) => (JSON.parse(body) as Json)['status'])).toEqual([
    'waiting',
    'waiting',
    'success',
  ])
})

test('the time for which it waits is not part of its deadline', async () => {
  const paid: number[] = []
  const agent = await payer({ paid, fields: { deadline: 2 } })
  const run = await agent.run('pay')
  // longer than the deadline: nothing but time decides this
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  await answer(agent, run, true)
  expect(await ended(agent)).toMatchObject({ status: 'completed' })
  expect(paid).toEqual([12])
})

test('another run that is due meanwhile is skipped, as one is in progress', async () => {
  const agent = await payer({ fields: { overlap: 'skip' } })
  await agent.run('pay')
  expect(await agent.run('pay')).toMatchObject({
    status: 'skipped',
    error: 'another run was in progress',
  })
})

test('an answer that comes after a restart counts', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'approvals-'))
  const paid: number[] = []
  const first = await payer({ paid, storage: onPglite(dir) })
  const run = await first.run('pay')
  await first.close()
  const second = await payer({ paid, storage: onPglite(dir) })
  await answer(second, run, true)
  expect(await ended(second)).toMatchObject({ run_id: run['run_id'], status: 'completed' })
  expect(paid).toEqual([12])
})

test('one that came where no automations run counts when they run again', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'approvals-'))
  const paid: number[] = []
  const first = await payer({ paid, storage: onPglite(dir) })
  const run = await first.run('pay')
  await first.close()
  const second = await payer({
    paid,
    storage: onPglite(dir),
    automations: false,
    confirmations: { answeredBy: ['anyone'] },
  })
  await answer(second, run, true)
  await until(() => paid[0])
  await second.close()
  const third = await payer({ paid, storage: onPglite(dir) })
  expect(await ended(third)).toMatchObject({ run_id: run['run_id'], status: 'completed' })
  expect(paid).toEqual([12])
})

test('whoever may run the automation may answer for it, and nobody else', async () => {
  const paid: number[] = []
  const agent = await payer({
    paid,
    plugins: [use(roles), use(people)],
    files: {
      'roles/automation.json': { tools: '*' },
      'roles/operator.json': { tools: [], automations: { can_view: true, can_create: true } },
      'roles/reader.json': { tools: [], automations: { can_view: true } },
    },
  })
  const run = (await (
    await agent.post('/automations/pay/run', {}, { 'x-role': 'operator' })
  ).json()) as Json
  expect(run).toMatchObject({ status: 'waiting' })
  const { session, ask } = await asked(agent, run)
  const answers = [{ id: ask.id, answer: { approved: true } }]
  const as = (role: string) =>
    agent.scope.get(Agent).as({ tenant: LOCAL_TENANT, principal: principalId(role), roles: [role] })
  expect(await as('reader').answer(session, answers)).toMatchObject({
    ok: false,
    error: { code: 'ASK_NOT_FOUND' },
  })
  expect(await as('operator').answer(session, answers)).toMatchObject({ ok: true })
  await until(() => paid[0])
})

/** Whoever a request says it is from. */
const people = definePlugin({
  name: 'people',
  version: '1.0.0',
  provides: [Authenticator],
  setup: ({ provide }) =>
    provide(Authenticator, () => ({
      configured: () => true,
      authenticate: async ({ headers }) => {
        const role = headers.get('x-role') ?? 'nobody'
        return ok({
          principal: principalId(role),
          tenant: LOCAL_TENANT,
          roles: [role],
          scopes: ['*'],
        })
      },
    })),
})
