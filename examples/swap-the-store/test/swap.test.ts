import { createAgent } from '@amodal/presets'
import { replace, type WireEvent } from '@amodal/sdk'
import { pluginContract, reply, startModelServer, type Script } from '@amodal/sdk/testing'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { storesFile } from '../src/stores-file.ts'

pluginContract(storesFile, { config: { file: 'documents.json' } })

it("keeps the agent's documents where you say, over a restart", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'swap-'))
  const file = join(folder, 'documents.json')
  const model = await startModelServer({ script: reply.text('Hello.') })
  /** One turn of an agent that lives no longer than that. */
  async function turn(script: Script): Promise<readonly WireEvent[]> {
    model.play(script)
    const agent = await createAgent({
      repoPath: fileURLToPath(new URL('../../ops-agent', import.meta.url)),
      provider: 'openai-compatible',
      providerConfig: { baseUrl: model.url, model: 'scripted' },
      apiKey: 'none',
      plugins: [replace('stores-memory', storesFile, { file })],
    })
    const events: WireEvent[] = []
    for await (const event of (await agent.createSession()).stream('Go')) events.push(event)
    await agent.shutdown()
    return events.filter(({ type }) => type === 'tool_call_result')
  }
  const incident = {
    id: 'INC-1',
    title: 'Coffee is out',
    severity: 'P4',
    status: 'open',
    service: 'web-gateway',
    opened_at: '2026-11-21T08:00:00Z',
    customers_affected: false,
  }
  expect(
    await turn(
      reply.toolsThenText(
        [
          { name: 'query_store', arguments: { store: 'services' } },
          { name: 'store_incidents', arguments: incident },
        ],
        'done',
      ),
    ),
  ).toMatchObject([{ status: 'success' }, { status: 'success' }])
  expect(await readFile(file, 'utf8')).toContain('Coffee is out')
  expect(
    await turn(
      reply.toolsThenText(
        {
          name: 'query_store',
          arguments: { store: 'incidents', filter: { severity: 'P4', status: 'open' } },
        },
        'done',
      ),
    ),
  ).toMatchObject([
    { status: 'success', result: expect.stringContaining('Coffee is out') as string },
  ])
  expect(
    await turn(
      reply.toolsThenText(
        {
          name: 'query_store',
          arguments: { store: 'incidents', filter: { opened_at: { gt: '2026-11-21' } } },
        },
        'done',
      ),
    ),
  ).toMatchObject([
    { status: 'error', error: expect.stringContaining('filters by equality only') as string },
  ])
  await writeFile(file, 'no JSON')
  expect(
    await turn(
      reply.toolsThenText({ name: 'query_store', arguments: { store: 'incidents' } }, 'done'),
    ),
  ).toMatchObject([{ status: 'error', error: expect.stringContaining('cannot be used') as string }])
  expect(await readFile(file, 'utf8')).toBe('no JSON')
  await model.close()
  await rm(folder, { recursive: true })
})
