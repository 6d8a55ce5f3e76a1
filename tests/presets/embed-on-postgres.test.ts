import { Automations } from '@amodal/plugin-automations/tokens'
import { createAgent, type AutomationResult } from '@amodal/presets'
import {
  defineBundle,
  LOCAL_TENANT,
  definePlugin,
  ok,
  principalId,
  use,
  type WireEvent,
} from '@amodal/sdk'
import { reply, startModelServer } from '@amodal/sdk/testing'
import pg from 'pg'
import { expect, test } from 'vitest'
import { agentFolder } from '../support/agent-folder.ts'
import { startPostgres } from '../support/postgres.ts'

test("createAgent keeps documents in the database of a pool, which stays its owner's", async () => {
  const [postgres, model] = await Promise.all([
    startPostgres(),
    startModelServer({ script: reply.text('Hello.') }),
  ])
  const pool = new pg.Pool({ connectionString: await postgres.createDatabase() })
  pool.on('error', () => undefined) // as everybody who has one must
  const bundle = defineBundle({
    name: 'desk',
    stores: [
      {
        name: 'notes',
        entity: { name: 'Note', key: '{id}', schema: { id: { type: 'string' } } },
        seed: [{ id: 'n1' }],
      },
    ],
  })
  /** One turn of an agent that lives no longer than that. */
  async function turn(name: string, args: object): Promise<WireEvent | undefined> {
    model.play(reply.toolsThenText({ name, arguments: { ...args } }, 'Done.'))
    const agent = await createAgent({
      bundle,
      storeBackend: pool,
      provider: 'openai-compatible',
      providerConfig: { baseUrl: model.url, model: 'scripted' },
    })
    const events: WireEvent[] = []
    for await (const event of (await agent.createSession()).stream('Go')) events.push(event)
    await agent.shutdown()
    return events.find(({ type }) => type === 'tool_call_result')
  }
  expect(await turn('store_notes', { id: 'n2' })).toMatchObject({ status: 'success' })
  expect(await turn('query_store', { store: 'notes' })).toMatchObject({
    status: 'success',
    result: expect.stringMatching(/"total":2.*"n1".*"n2"/) as string,
  })
  expect((await pool.query('select key from stores_database_document order by key')).rows).toEqual([
    { key: 'n1' },
    { key: 'n2' },
  ])
  await pool.end()
  await Promise.all([postgres.stop(), model.close()])
})

test('createAgent keeps jobs there as well: a result that could not be handed over is not lost', async () => {
  const [postgres, model] = await Promise.all([
    startPostgres(),
    startModelServer({ script: reply.text('All clean.') }),
  ])
  const pool = new pg.Pool({ connectionString: await postgres.createDatabase() })
  pool.on('error', () => undefined) // as everybody who has one must
  await using folder = await agentFolder({
    'amodal.json': JSON.stringify({ name: 'night', version: '1.0.0' }),
    'automations/digest.json': JSON.stringify({
      prompt: 'Sum up.',
      delivery: { targets: [{ type: 'callback' }] },
    }),
  })
  let service: Automations | undefined
  const probe = definePlugin({
    name: 'probe',
    version: '1.0.0',
    requires: { automations: Automations },
    setup({ deps }) {
      service = deps.automations
    },
  })
  const start = (onAutomationResult?: (result: AutomationResult) => void) =>
    createAgent({
      repoPath: folder.dir,
      storeBackend: pool,
      provider: 'openai-compatible',
      providerConfig: { baseUrl: model.url, model: 'scripted' },
      plugins: [use(probe)],
      ...(onAutomationResult && { onAutomationResult }),
    })

  const first = await start()
  await service?.routes.fetch(
    new Request('http://localhost/automations/digest/run', { method: 'POST' }),
    {
      signal: new AbortController().signal,
      identity: undefined,
      caller: () => ok({ tenant: LOCAL_TENANT, principal: principalId('me') }),
    },
  )
  await first.shutdown()
  const jobs = await pool.query('select queue from queue_database_job')
  expect(jobs.rows).toContainEqual({ queue: 'automations.deliver' })

  const results: AutomationResult[] = []
  const second = await start((result) => void results.push(result))
  await expect
    .poll(() => results, { timeout: 60_000 })
    .toMatchObject([{ automation: 'digest', result: 'All clean.' }])
  await second.shutdown()
  await pool.end()
  await Promise.all([postgres.stop(), model.close()])
}, 120_000)
