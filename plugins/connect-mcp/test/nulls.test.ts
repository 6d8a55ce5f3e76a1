import type { Json, JsonObject } from '@amodal/sdk'
import { describe, expect, it } from 'vitest'
import { agentWith } from './support/agent.ts'
import { rawServer, type RawResults, type RawWay } from './support/raw-server.ts'

const WAYS: readonly RawWay[] = ['stdio', 'http', 'http stream']

const initialize = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: { listChanged: null }, prompts: null, logging: null },
  serverInfo: { name: 'raw', version: null, title: null },
  instructions: null,
  _meta: null,
}
const PLAIN = {
  name: 'plain',
  title: null,
  description: null,
  inputSchema: {},
  outputSchema: null,
  annotations: null,
  icons: null,
  _meta: null,
}
const TYPED = {
  name: 'typed',
  description: 'Takes a number.',
  inputSchema: {
    type: 'object',
    required: null,
    properties: { n: { type: 'number', description: null, enum: null, default: null } },
  },
  annotations: { readOnlyHint: null, title: null },
}
const text = (words: string): JsonObject => ({
  type: 'text',
  text: words,
  annotations: null,
  _meta: null,
})
const serving = (tools: readonly Json[], result: Json): RawResults => ({
  initialize,
  'tools/list': { tools, nextCursor: null, _meta: null },
  'tools/call': result,
})
const done = (more: JsonObject = {}): JsonObject => ({
  content: [text('done')],
  structuredContent: null,
  isError: null,
  _meta: null,
  ...more,
})

describe.each(WAYS)('a server over %s that says null where it means nothing', (way) => {
  it('has all its tools, and the result of a call is its result', async () => {
    const raw = await rawServer(way, serving([PLAIN, TYPED], done()))
    const agent = await agentWith({ connections: { raw } })
    expect(await agent.tools()).toEqual(['raw__plain', 'raw__typed'])
    expect((await agent.call('raw__plain')).result).toBe('done')
    const tools = agent.told()[0]?.tools?.map((tool) => tool.function) ?? []
    expect(tools.find(({ name }) => name === 'raw__plain')).toMatchObject({
      description: 'The tool "plain" of the MCP server "raw".',
      parameters: { type: 'object' },
    })
    expect(tools.find(({ name }) => name === 'raw__typed')?.parameters).toEqual({
      type: 'object',
      properties: { n: { type: 'number', default: null } },
    })
    expect((await agent.get('/inspect/mcp/raw')).body).toMatchObject({
      status: 'ready',
      instructions: '',
      left_out: [],
    })
    expect((await agent.get('/health')).body).toMatchObject({ status: 'ok' })
  })

  it('loses what cannot be read by its name, and nothing else', async () => {
    const tools = [
      { ...PLAIN, annotations: { readOnlyHint: 'true', destructiveHint: 'perhaps' } },
      { ...TYPED, description: 7 },
      { inputSchema: { type: 'object' }, description: 'It has no name.' },
      { name: 'last', inputSchema: null },
    ]
    const content = [
      text('done'),
      { type: 'image', data: 5, mimeType: 'image/png' },
      { type: 'hologram' },
      text('and more'),
    ]
    const raw = await rawServer(way, serving(tools, done({ content, structuredContent: [1] })))
    const agent = await agentWith({ connections: { raw } })
    expect(await agent.tools()).toEqual(['raw__plain', 'raw__typed', 'raw__last'])
    const { result, error } = await agent.call('raw__last')
    expect(error).toBeUndefined()
    expect(result).toMatch(/^done\nand more\n\[left out, since it cannot be read: /)
    expect(result).toContain('content[1].data: ')
    expect(result).toContain('content[2]: ')
    expect(result).toContain('structuredContent: ')
    const { left_out: leftOut } = (await agent.get('/inspect/mcp/raw')).body
    for (const named of [
      'tools/list tools[0] (plain).annotations.destructiveHint: ',
      'tools/list tools[1] (typed).description: ',
      'tools/list tools[2].name: ',
      'tools/call content[1].data: ',
    ])
      expect(leftOut).toContainEqual(expect.stringContaining(named))
    expect((await agent.get('/health')).body).toMatchObject({
      status: 'degraded',
      problems: [expect.stringContaining('tools[1] (typed).description')],
    })
  })
})

it('a call that was answered with nothing that can be read is told to be answered', async () => {
  const raw = await rawServer('stdio', serving([PLAIN], { content: 'no list', isError: 'true' }))
  const agent = await agentWith({ connections: { raw } })
  const { error } = await agent.call('raw__plain')
  expect(error).toMatch(/content: .*expected array/)
  expect(error).not.toContain('no answer came')
})

it('resources, templates and prompts with nulls are offered and read', async () => {
  const raw = await rawServer('http', {
    initialize: { ...initialize, capabilities: { resources: {}, prompts: true, tools: null } },
    'resources/list': {
      resources: [{ uri: 'memo:1', name: 'one', mimeType: null, size: null, annotations: null }],
      nextCursor: null,
    },
    'resources/templates/list': { resourceTemplates: null },
    'prompts/list': { prompts: [{ name: 'greet', description: null, arguments: null }] },
    'resources/read': {
      contents: [{ uri: 'memo:1', text: 'the memo', mimeType: null, _meta: null }],
    },
    'prompts/get': {
      description: null,
      messages: [{ role: 'user', content: text('Hello you.') }],
    },
  })
  const agent = await agentWith({ connections: { raw } })
  expect(await agent.tools()).toContain('raw__read_resource')
  expect((await agent.call('raw__read_resource', { uri: 'memo:1' })).result).toContain('the memo')
  expect((await agent.call('raw__get_prompt', { name: 'greet' })).result).toContain('Hello you.')
})

it('tools whose names differ in case only are told apart, and that is shown', async () => {
  const tools = [PLAIN, { ...PLAIN, name: 'Plain' }]
  const raw = await rawServer('stdio', serving(tools, done()))
  const agent = await agentWith({ connections: { raw } })
  const names = await agent.tools()
  expect(names).toEqual(['raw__plain', expect.stringMatching(/^raw__Plain_[0-9a-f]{8}$/)])
  expect((await agent.call(names[1] ?? '')).result).toBe('done')
  expect((await agent.get('/inspect/mcp/raw')).body).toMatchObject({
    left_out: [`"Plain" of "raw" is called ${names[1]}: raw__Plain is taken`],
  })
})
