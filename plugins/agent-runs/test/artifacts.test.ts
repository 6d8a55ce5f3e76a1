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
