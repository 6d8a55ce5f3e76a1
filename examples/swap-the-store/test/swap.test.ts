import { createAgent } from '@amodal/presets'
import { replace } from '@amodal/sdk'
import { reply, startModelServer } from '@amodal/sdk/testing'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { storesFile } from '../src/stores-file.ts'

it('keeps the agent\'s documents where you say', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'swap-'))
  const file = join(folder, 'documents.json')
  const model = await startModelServer({
    script: ({ messages }) => (messages.at(-1)?.role === 'tool' ? reply.text('done') : reply.toolCalls({ name: 'query_store', arguments: { store: 'services' } })),
  })
  const agent = await createAgent({
    repoPath: fileURLToPath(new URL('../../ops-agent', import.meta.url)),
    provider: 'openai-compatible', providerConfig: { baseUrl: model.url, model: 'scripted' }, apiKey: 'none',
    plugins: [replace('stores-memory', storesFile, { file })],
  })
  const session = await agent.createSession()
  const events = []
  for await (const event of session.stream('Which services are there?')) events.push(event)
  expect(events.find(({ type }) => type === 'tool_call_result')).toMatchObject({ status: 'success' })
  expect(await readFile(file, 'utf8')).toContain('local/services/')
  await agent.shutdown()
  await model.close()
  await rm(folder, { recursive: true })
})
