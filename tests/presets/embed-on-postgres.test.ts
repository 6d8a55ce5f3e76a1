import { createAgent } from '@amodal/presets'
import { defineBundle, type WireEvent } from '@amodal/sdk'
import { reply, startModelServer } from '@amodal/sdk/testing'
import pg from 'pg'
import { expect, test } from 'vitest'
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
