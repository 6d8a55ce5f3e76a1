import { describe, expect, it, onTestFinished } from 'vitest'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentWith, everything, node, ROOT, until } from './support/agent.ts'
import { listening } from './support/listening.ts'

const server = (name: string): string =>
  join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`)

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-mcp-files-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

describe('server-everything over stdio', () => {
  it('lists its tools, runs them, and tells errors', async () => {
    const agent = await agentWith({ connections: { every: node(everything) } })
    expect(await agent.tools()).toEqual(
      expect.arrayContaining([
        'every__echo',
        'every__get-sum',
        'every__get-tiny-image',
        'every__trigger-elicitation-request',
      ]),
    )
    expect(await agent.tools()).not.toContainEqual(expect.stringContaining('sampling'))

    const echo = await agent.call('every__echo', { message: 'hello' })
    expect(echo.asked).toMatchObject([
      {
        type: 'confirmation_required',
        connection_name: 'every',
        method: 'CALL',
        endpoint: 'echo',
        params: { message: 'hello' },
      },
    ])
    expect(echo.result).toBe('Echo: hello')

    const image = await agent.call('every__get-tiny-image')
    expect(image.result).toContain('[image: image/png]')
    expect(image.events.find(({ type }) => type === 'tool_call_result')).toMatchObject({
      content: expect.arrayContaining([
        expect.objectContaining({ type: 'image', mimeType: 'image/png' }),
      ]),
    })

    const structured = await agent.call('every__get-structured-content', { location: 'New York' })
    expect(JSON.parse(structured.result ?? '')).toEqual({
      temperature: expect.any(Number),
      conditions: expect.any(String),
      humidity: expect.any(Number),
    })

    const wrong = await agent.call('every__get-sum', { a: 'one' })
    expect(wrong.error).toMatch(/invalid/i)
    expect((await agent.get('/inspect/context')).body['mcpServers']).toMatchObject([
      { name: 'every', status: 'ready', toolCount: expect.any(Number) },
    ])
  })

  it('tells the progress of a long call', async () => {
    const agent = await agentWith({ connections: { every: node(everything) } })
    const long = await agent.call('every__trigger-long-running-operation', {
      duration: 1,
      steps: 4,
    })
    expect(long.result).toContain('completed')
    expect(long.events.filter(({ type }) => type === 'tool_log')).toContainEqual(
      expect.objectContaining({
        tool_name: 'every__trigger-long-running-operation',
        message: expect.stringContaining('of 4'),
      }),
    )
  })

  it('asks the person what it wants to know, and goes on with the answer', async () => {
    const agent = await agentWith({ connections: { every: node(everything) } })
    const turn = await agent.call(
      'every__trigger-elicitation-request',
      {},
      {
        answer: (asked) =>
          asked.type === 'ask_user'
            ? { answers: { name: 'Ada', check: true } }
            : { approved: true },
      },
    )
    expect(turn.asked.map(({ type }) => type)).toEqual(['confirmation_required', 'ask_user'])
    expect(turn.asked[1]).toMatchObject({
      questions: expect.arrayContaining([
        expect.objectContaining({ id: 'name', text: expect.stringContaining('"every" asks') }),
      ]),
    })
    expect(turn.result).toContain('Ada')
  })
})

describe('server-everything over the network', () => {
  it.each(['streamableHttp', 'sse'] as const)(
    '%s: lists, runs, asks and fails',
    async (transport) => {
      const { url, stop, again } = await listening(transport)
      const agent = await agentWith({
        connections: { remote: { transport: transport === 'sse' ? 'sse' : 'http', url } },
      })
      expect(await agent.tools()).toContain('remote__echo')
      expect((await agent.call('remote__echo', { message: 'there' })).result).toBe('Echo: there')
      const asked = await agent.call(
        'remote__trigger-elicitation-request',
        {},
        {
          answer: (one) =>
            one.type === 'ask_user'
              ? { answers: { name: 'Grace', check: true } }
              : { approved: true },
        },
      )
      expect(asked.result).toContain('Grace')

      await stop()
      const gone = await agent.call('remote__echo', { message: 'anybody?' })
      expect(gone.error).toMatch(/cannot be reached|no answer came/)
      expect(
        await until(async () => (await agent.get('/health')).body['status'] === 'degraded'),
      ).toBe(true)
      expect((await agent.get('/health')).body['problems']).toEqual([
        expect.stringMatching(/^connect-mcp: remote: /),
      ])

      await again()
      expect((await agent.call('remote__echo', { message: 'back?' })).result).toBe('Echo: back?')
      expect((await agent.get('/health')).body['status']).toBe('ok')
    },
  )
})

describe('server-filesystem', () => {
  it('reads and writes in its folder, and nowhere else', async () => {
    const dir = await folder()
    await writeFile(join(dir, 'notes.txt'), 'buy milk')
    const agent = await agentWith({
      connections: { files: { ...node(server('filesystem'), dir), trust: true } },
    })
    const read = await agent.call('files__read_text_file', { path: join(dir, 'notes.txt') })
    expect(read.asked).toEqual([]) // it says that it only reads, and the connection trusts it
    expect(read.result).toContain('buy milk')

    const write = await agent.call('files__write_file', {
      path: join(dir, 'new.txt'),
      content: 'made',
    })
    expect(write.asked).toHaveLength(1)
    expect(await readFile(join(dir, 'new.txt'), 'utf8')).toBe('made')

    expect((await agent.call('files__read_text_file', { path: '/etc/hostname' })).error).toMatch(
      /denied|outside/i,
    )
    const declined = await agent.call(
      'files__write_file',
      { path: join(dir, 'no.txt'), content: 'made' },
      { answer: () => ({ approved: false }) },
    )
    expect(declined.error).toContain('declined')
    await expect(readFile(join(dir, 'no.txt'))).rejects.toThrow()
  })
})

describe('server-memory', () => {
  it('keeps what it is told, in the file that its environment names', async () => {
    const dir = await folder()
    const file = join(dir, 'memory.jsonl')
    const agent = await agentWith({
      connections: {
        memory: { ...node(server('memory')), env: { MEMORY_FILE_PATH: 'env:MEMORY_FILE' } },
      },
      env: { MEMORY_FILE: file },
    })
    await agent.call('memory__create_entities', {
      entities: [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }],
    })
    expect(await readFile(file, 'utf8')).toContain('likes engines')
    expect((await agent.call('memory__search_nodes', { query: 'Ada' })).result).toContain(
      'likes engines',
    )
  })
})

describe('server-sequential-thinking', () => {
  it('takes a thought, from `mcp.servers` of the manifest, too', async () => {
    const agent = await agentWith({
      manifest: {
        mcp: {
          servers: { thinking: { transport: 'stdio', ...node(server('sequential-thinking')) } },
        },
      },
    })
    const thought = await agent.call('thinking__sequentialthinking', {
      thought: 'first',
      nextThoughtNeeded: false,
      thoughtNumber: 1,
      totalThoughts: 1,
    })
    expect(JSON.parse(thought.result ?? '')).toMatchObject({ thoughtNumber: 1, totalThoughts: 1 })
  })
})
