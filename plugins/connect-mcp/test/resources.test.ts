import { isObject, type JsonObject } from '@amodal/sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { statefulServer } from './servers/stateful.ts'
import { agentWith, everything, modern, node, until, type TestAgent } from './support/agent.ts'
import { listening } from './support/listening.ts'

const trusted = (spec: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...spec,
  trust: true,
  ...more,
})
async function listed(agent: TestAgent, tool: string, args: JsonObject = {}): Promise<JsonObject> {
  const { result = '{}' } = await agent.call(tool, args)
  const read: unknown = JSON.parse(result)
  return isObject(read as JsonObject) ? (read as JsonObject) : {}
}
const features = async (agent: TestAgent): Promise<readonly string[]> =>
  (await agent.tools()).filter((name) => /__(list_|read_resource|get_prompt|complete_)/.test(name))

describe('what server-everything offers beside its tools', () => {
  it('is there as tools: resources, templates, prompts, completion', async () => {
    const agent = await agentWith({ connections: { every: trusted(node(everything)) } })
    expect(await features(agent)).toEqual([
      'every__list_resources',
      'every__read_resource',
      'every__list_prompts',
      'every__get_prompt',
      'every__complete_argument',
    ])
    const { entries, total } = await listed(agent, 'every__list_resources')
    expect(total).toBeGreaterThan(5)
    expect(entries).toContainEqual(
      expect.objectContaining({
        uri_template: 'demo://resource/dynamic/text/{resourceId}',
      }),
    )
    expect(
      await listed(agent, 'every__list_resources', { query: 'features.md', offset: 0 }),
    ).toMatchObject({ total: 1, entries: [{ mime_type: 'text/markdown' }] })

    const read = await agent.call('every__read_resource', {
      uri: 'demo://resource/dynamic/text/1',
    })
    expect(read.asked).toEqual([])
    expect(read.result).toContain('Resource 1: This is a plaintext resource')
    const blob = await agent.call('every__read_resource', {
      uri: 'demo://resource/dynamic/blob/2',
    })
    expect(blob.result).toContain('Resource 2: This is a base64 blob')
    const nowhere = await agent.call('every__read_resource', { uri: 'demo://nowhere' })
    expect(nowhere.error).toContain('not found')

    expect(await listed(agent, 'every__list_prompts', { query: 'args' })).toMatchObject({
      entries: [
        {
          name: 'args-prompt',
          arguments: [
            { name: 'city', required: true },
            { name: 'state', required: false },
          ],
        },
      ],
    })
    const prompt = await agent.call('every__get_prompt', {
      name: 'args-prompt',
      arguments: { city: 'Rome' },
    })
    expect(prompt.result).toBe("[user]\nWhat's weather in Rome?")
    expect(
      await listed(agent, 'every__complete_argument', {
        prompt: 'completable-prompt',
        argument: 'department',
        value: 'E',
      }),
    ).toEqual({ values: ['Engineering'], total: 1, has_more: false })
  })

  it('says which resources have changed since they were read', async () => {
    const agent = await agentWith({ connections: { every: trusted(node(everything)) } })
    const uri = 'demo://resource/static/document/features.md'
    await agent.call('every__read_resource', { uri })
    await agent.call('every__toggle-subscriber-updates')
    await until(
      async () =>
        (
          JSON.stringify(await listed(agent, 'every__list_resources', { query: uri })) ?? ''
        ).includes('"changed_since_read":true'),
      60_000,
    )
    await agent.call('every__read_resource', { uri })
    expect(JSON.stringify(await listed(agent, 'every__list_resources', { query: uri }))).not.toBe(
      '{}',
    )
  }, 90_000)
})

describe('a server of the newest protocol', () => {
  it('has its new resources and prompts in the next turn', async () => {
    const agent = await agentWith({ connections: { new: trusted(modern()) } })
    expect(await features(agent)).toEqual(['new__list_resources', 'new__read_resource'])
    const { result } = await agent.call('new__read_resource', { uri: 'note://first' })
    expect(result).toContain('buy milk')
    expect((await agent.get('/inspect/mcp/new')).body).toMatchObject({
      offers: { resources: 1, resource_templates: 0, prompts: 0, completions: false },
      unsupported: ['extension com.example/weather'],
    })
    expect((await agent.call('new__publish')).result).toBe('published')
    await until(async () => (await features(agent)).includes('new__get_prompt'))
    expect(await listed(agent, 'new__list_resources')).toMatchObject({
      total: 2,
      entries: [{ uri: 'note://first', changed_since_read: true }, { uri: 'note://second' }],
    })
    const prompt = await agent.call('new__get_prompt', { name: 'shopping' })
    expect(prompt.result).toContain('[user]\nWhat is to be bought?')
    // a server may ask a person before it gives one
    const tailored = await agent.call(
      'new__get_prompt',
      { name: 'tailored' },
      {
        answer: () => ({ answers: { _action: 'accept', confirm: true, note: 'love' } }),
      },
    )
    expect(tailored.asked).toMatchObject([
      {
        type: 'ask_user',
        connection_name: 'new',
        questions: [
          { text: expect.stringContaining('for get_prompt: With a note?') as string },
          { id: 'note' },
          { id: '_action' },
        ],
      },
    ])
    expect(tailored.result).toBe('[user]\nWith love.')
  })
})

describe('a server that has been started anew', () => {
  it('still tells of resources that were read before', async () => {
    const { url, again, stop } = await listening('streamableHttp')
    const agent = await agentWith({
      connections: { every: { transport: 'http', url, trust: true } },
    })
    const uri = 'demo://resource/static/document/features.md'
    await agent.call('every__read_resource', { uri })
    await stop()
    await again()
    await until(async () => (await agent.get('/inspect/mcp/every')).body['status'] === 'ready')
    await until(async () => (await agent.call('every__toggle-subscriber-updates')).result)
    await until(async () => {
      const { body } = await agent.get('/inspect/mcp/every')
      return JSON.stringify(body['offers']).includes('"resources_changed":1')
    })
  }, 120_000)
})

describe('what is not supported', () => {
  it('is left out and said: tools that run as tasks only', async () => {
    const server = await statefulServer({
      tools: [
        { name: 'act', inputSchema: { type: 'object' } },
        {
          name: 'later',
          inputSchema: { type: 'object' },
          execution: { taskSupport: 'required' },
        },
      ],
    })
    onTestFinished(() => server.close())
    const agent = await agentWith({
      connections: { remote: { transport: 'http', url: server.url } },
    })
    expect(await agent.tools()).toEqual(['remote__act'])
  })
})

describe('who is asked', () => {
  it('a person before a resource is read or a prompt is got, and nobody for a list', async () => {
    const agent = await agentWith({ connections: { every: node(everything) } })
    const list = await agent.call('every__list_resources')
    expect(list.asked).toEqual([])
    const read = await agent.call('every__read_resource', {
      uri: 'demo://resource/dynamic/text/1',
    })
    expect(read.asked).toMatchObject([
      {
        type: 'confirmation_required',
        connection_name: 'every',
        method: 'CALL',
        endpoint: 'read_resource',
        params: { uri: 'demo://resource/dynamic/text/1' },
      },
    ])
    const prompt = await agent.call('every__get_prompt', { name: 'simple-prompt' })
    expect(prompt.asked).toHaveLength(1)
  })

  it('whom access.json says; and a spec may leave them out', async () => {
    const agent = await agentWith({
      connections: {
        ruled: node(everything),
        plain: trusted(node(everything), { resources: false, prompts: false }),
      },
      access: {
        ruled: { endpoints: { 'CALL read_resource': { confirm: 'never' } } },
      },
    })
    expect(await features(agent)).toEqual([
      'ruled__list_resources',
      'ruled__list_prompts',
      'ruled__get_prompt',
      'ruled__complete_argument',
    ])
  })
})
