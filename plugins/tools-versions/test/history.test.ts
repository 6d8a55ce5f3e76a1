import { Database, principalId, sessionId, tenantId, unwrap, type JsonObject } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { eraser } from '../src/storage/eraser.ts'
import { InvocationStore } from '../src/storage/invocation-store.ts'
import { code, project, serving } from './support/serving.ts'

const messageOf = ({ message }: { readonly message: string }): string => message
const limit = (): AbortSignal => AbortSignal.timeout(60_000)
const inputsIn = (body: Readonly<Record<string, unknown>>): readonly unknown[] =>
  (body['invocations'] as readonly { readonly input_parameters: JsonObject }[]).map(
    ({ input_parameters: { order } }) => order,
  )

const CODE = code(
  `if (tool_input.order > 10) throw new Error('Warehouse ' + tool_input.order + ' is on strike')
   return { status: tool_input.order % 2 === 0 ? 'shipped' : 'waiting', city: 'Köln' }`,
)

test('invocations are listed and searched with filters', async () => {
  const server = await serving()
  const [id, other] = [await server.tool('check_order'), await server.tool('other')]
  server.repo.commit('acme', 'main', {
    ...project('check_order', CODE),
    ...project('other', CODE),
  })
  await server.publish(id)
  await server.publish(id, { bump: 'major' })
  await server.publish(other)
  for (const order of [1, 2, 11]) await server.invoke(id, '1.0.0', { order })
  await server.invoke(id, '2.0.0', { order: 4 })
  await server.invoke(other, '1.0.0', { order: 6 })

  const list = async (query: string) => inputsIn((await server.get(`/invocation${query}`)).body)
  expect(await list('')).toEqual([6, 4, 11, 2, 1])
  expect(await list(`?tool_id=${id}`)).toEqual([4, 11, 2, 1])
  expect(await list(`?tool_id=${id}&version=%3E%3D1.0,%3C2`)).toEqual([11, 2, 1])
  expect(await list('?version=%3E%3D2')).toEqual([4])
  expect(await list('?succeeded=false')).toEqual([11])
  expect(await list('?succeeded=true&limit=2')).toEqual([6, 4])
  expect(await list('?limit=2&continuation_token=2')).toEqual([11, 2])
  expect(await list('?invocation_source_type=conversation')).toEqual([])
  expect(await list('?conversation_id=none')).toEqual([])
  expect((await server.get('/invocation?limit=51')).status).toBe(400)

  const search = async (query: string) =>
    inputsIn((await server.get(`/invocation/search${query}`)).body)
  expect(await search('?query=shipped')).toEqual([6, 4, 2])
  expect(await search('?query=SHIPPED%20k%C3%B6ln')).toEqual([6, 4, 2])
  expect(await search('?query=%22on%20strike%22')).toEqual([11])
  expect(await search('?query=run_tool')).toEqual([11])
  expect(await search(`?query=shipped&tool_id=${other}`)).toEqual([6])
  expect(await search('?query=shipped&limit=1&continuation_token=1')).toEqual([4])
  expect(await search('?query=nothing')).toEqual([])
  expect((await server.get('/invocation/search')).status).toBe(400)
  // the tenant is a lexeme of each row, which no query can name
  expect(await search(`?query=${encodeURIComponent("'=acme'")}`)).toEqual([])
  const theirs = await server.get('/invocation/search?query=shipped', 'bolt', 'bolt')
  expect(theirs.body['invocations']).toEqual([])
  expect((await server.get('/invocation')).body['invocations']).toMatchObject([
    {
      tool_id: other,
      version: '1.0.0',
      invocation_mode: 'regular',
      invocation_source_type: 'api',
      conversation_id: null,
      succeeded: true,
      output: { status: 'shipped', city: 'Köln' },
      error: null,
    },
    {},
    { succeeded: false, error: { code: 'TOOL_FAILED' }, output: null },
    {},
    {},
  ])
})

test('references to removed conversations become null, and erased persons are forgotten', async () => {
  const server = await serving()
  const id = await server.tool('check_order')
  const database = server.kernel.scope.get(Database)
  const history = new InvocationStore(database, tenantId('acme'))
  const add = async (invocation: string, principal: string, conversation: string, run: string) =>
    unwrap(
      await history.begin({
        id: invocation,
        tool: id,
        version: '1.0.0',
        mode: 'regular',
        source: 'conversation',
        principal,
        conversation,
        interaction: run,
        simulation_run: null,
        input: '{}',
      }),
      messageOf,
    )
  await add('inv_1', 'ann', 'sess_1', 'run_1')
  await add('inv_2', 'ann', 'sess_1', 'run_2')
  await add('inv_3', 'ben', 'sess_2', 'run_3')
  const references = async () =>
    ((await server.get('/invocation')).body['invocations'] as unknown as readonly JsonObject[]).map(
      (one) => [one['invocation_id'], one['conversation_id'], one['interaction_id']],
    )
  unwrap(await history.forget('sess_1', ['run_2'], limit()), messageOf)
  expect(await references()).toEqual([
    ['inv_3', 'sess_2', 'run_3'],
    ['inv_2', null, null],
    ['inv_1', 'sess_1', 'run_1'],
  ])
  unwrap(await history.forget('sess_1', undefined, limit()), messageOf)
  expect((await references()).at(-1)).toEqual(['inv_1', null, null])

  const erased = await database.transaction(
    (run) =>
      eraser.erase(
        {
          principal: principalId('ann'),
          sessions: [{ tenant: tenantId('acme'), session: sessionId('sess_2'), runs: [] }],
        },
        run,
      ),
    limit(),
  )
  expect(unwrap(unwrap(erased, messageOf), messageOf).removed).toBe(3)
  expect(await references()).toEqual([])
})
