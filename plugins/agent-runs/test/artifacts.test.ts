import { defineTool, principalId, sessionId, tenantId } from '@amodal/sdk'
import { reply, type ChatCompletionRequest, type ScriptedToolCall } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { serving } from './support/serving.ts'

const page = defineTool({
  name: 'read_page',
  description: 'Reads a page.',
  readOnly: true,
  input: z.object({ url: z.string() }),
  execute: async () => ({
    status: 'success',
    output: { sections: [{ text: 'Intro.' }, { text: 'In 2025 usage grew by 40 percent.' }] },
  }),
})

const Artifact = z.object({
  citations: z.array(
    z.object({ source: z.object({ entry: z.number(), start: z.number(), end: z.number() }) }),
  ),
})

/** Makes these calls one after another, each with what was answered before. */
const oneByOne =
  (steps: readonly ((results: readonly string[]) => ScriptedToolCall)[]) =>
  ({ messages }: ChatCompletionRequest) => {
    const results = messages
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    const step = steps[results.length]
    return step ? reply.toolCalls(step(results)) : reply.text('Written.')
  }
const idIn = (text = ''): string => /art_\w+/.exec(text)?.[0] ?? 'none'
const read = () => ({ name: 'read_page', arguments: { url: 'https://a.example' } })
const create = (citations: readonly object[] = []) => ({
  name: 'artifacts_create',
  arguments: {
    type: 'research_report',
    title: 'Usage',
    content_markdown: '# Usage\n\nIt grew.',
    content_json: { key_findings: ['grew'] },
    tags: ['usage'],
    citations,
  },
})

test('an artifact has versions, a hash, and citations that lead to the journal', async () => {
  const quote = 'usage grew by 40 percent'
  const server = await serving({
    tools: [page],
    script: oneByOne([
      read,
      () => create([{ quote, tool: 'read_page', statement: 'It grew.' }]),
      (results) => ({
        name: 'artifacts_update',
        arguments: { artifact_id: idIn(results[1]), content_markdown: '# Usage\n\nIt grew a lot.' },
      }),
    ]),
  })
  const run = await server.run('research')
  const { result_artifact_id: id } = await server.until(run, 'complete')
  const newest = await server.get(`/artifacts/${String(id)}?include_versions=true`)
  expect(newest.body).toMatchObject({
    success: true,
    artifact: {
      id,
      version: 2,
      type: 'research_report',
      title: 'Usage',
      tags: ['usage'],
      content_markdown: '# Usage\n\nIt grew a lot.',
      session_id: run,
    },
    versions: [{ version: 2 }, { version: 1 }],
  })
  const { body } = await server.get(`/artifacts/${String(id)}?version=1`)
  expect(body['artifact']).toMatchObject({
    content_json: { key_findings: ['grew'] },
    content_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    citations: [{ id: 1, quote, source: { tool: 'read_page', path: '/sections/1/text' } }],
  })
  // what the citation names is in the session's own history
  const { citations } = Artifact.parse(body['artifact'])
  const source = citations[0]?.source
  const acme = server.agent.as({ tenant: tenantId('acme'), principal: principalId('ann') })
  const session = await acme.session(sessionId(run))
  const entries = session.ok ? session.value.entries : []
  const named = entries.find(({ seq }) => seq === source?.entry)
  expect(JSON.stringify(named)).toContain(quote)
  expect((source?.end ?? 0) - (source?.start ?? 0)).toBe(quote.length)
  expect(source?.entry).toBeGreaterThan(0)
})

test('a quote that stands nowhere is refused, and the model is told', async () => {
  const server = await serving({
    tools: [page],
    script: oneByOne([read, () => create([{ quote: 'usage fell by 10 percent' }]), () => create()]),
  })
  const run = await server.run('research')
  const { result_artifact_id: id } = await server.until(run, 'complete')
  expect((await server.get(`/artifacts/${String(id)}`)).body['artifact']).toMatchObject({
    version: 1,
  })
  expect(JSON.stringify(server.model.requests[2]?.body.messages)).toMatch(
    /citations\.0\.quote: stands in no result/,
  )
})

test('an artifact of another tenant does not exist, to the byte', async () => {
  const server = await serving({ script: oneByOne([() => create()]) })
  const run = await server.run('write')
  const { result_artifact_id: id } = await server.until(run, 'complete')
  const theirs = await server.get(`/artifacts/${String(id)}`, 'bolt')
  expect(theirs).toEqual(await server.get('/artifacts/art_unknown', 'bolt'))
  expect(theirs.status).toBe(404)
})

test('an artifact is as large as it may be, and has as many versions', async () => {
  const server = await serving({
    config: { artifacts: { bytes: 100, versions: 1 } },
    script: oneByOne([
      () => ({
        name: 'artifacts_create',
        arguments: { type: 't', title: 'Large', content_markdown: 'x'.repeat(101) },
      }),
      () => create(),
      (results) => ({
        name: 'artifacts_update',
        arguments: { artifact_id: idIn(results[1]), content_markdown: 'more' },
      }),
      () => ({
        name: 'artifacts_update',
        arguments: { artifact_id: 'art_unknown', content_markdown: 'more' },
      }),
    ]),
  })
  const run = await server.run('write')
  await server.until(run, 'complete')
  const told = JSON.stringify(server.model.requests.at(-1)?.body.messages)
  expect(told).toMatch(/it has 101 bytes, and may have 100/)
  expect(told).toMatch(/it has 1 versions, and may have no more/)
  expect(told).toMatch(/there is no artifact/)
})

test('a later run lists and reads what an earlier one wrote, and nothing of another tenant', async () => {
  const server = await serving({
    script: ({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
      const isWriting = JSON.stringify(messages).includes('write it')
      if (isWriting)
        return results.length === 0 ? reply.toolCalls(create()) : reply.text('Written.')
      const id = idIn(JSON.stringify(results[0]))
      const steps = [
        { name: 'artifacts_list', arguments: { type: 'research_report' } },
        { name: 'artifacts_get', arguments: { artifact_id: id } },
        { name: 'artifacts_get', arguments: { artifact_id: id, version: 7 } },
        { name: 'artifacts_list', arguments: { type: 'memo' } },
      ]
      const step = steps[results.length]
      return step ? reply.toolCalls(step) : reply.text('Read.')
    },
  })
  const { result_artifact_id: id } = await server.until(await server.run('write it'), 'complete')
  await server.until(await server.run('read it'), 'complete')
  const results = (server.model.requests.at(-1)?.body.messages ?? [])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.stringify(content))
  expect(results[0]).toContain(String(id))
  expect(results[1]).toContain('It grew.')
  expect(results[2]).toMatch(/there is no artifact/)
  expect(results[3]).not.toContain('art_')

  const started = await server.post(
    '/agents/run',
    { profile_id: 'agent', task: 'read it' },
    {},
    'bolt',
  )
  expect(started.status).toBe(202)
  const path = `/agents/${String(started.body['session_id'])}/status`
  await expect
    .poll(async () => (await server.get(path, 'bolt')).body['status'], { timeout: 20_000 })
    .toBe('complete')
  const theirs = JSON.stringify(server.model.requests.at(-1)?.body.messages)
  expect(theirs).not.toContain(String(id))
})
