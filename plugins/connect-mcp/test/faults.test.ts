import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { agentWith, everything, node, odd, until, type TestAgent } from './support/agent.ts'
import { isAlive, Journal } from './support/journal.ts'

const status = async (agent: TestAgent, name: string): Promise<unknown> =>
  (await agent.get(`/inspect/mcp/${name}`)).body
const statuses = async (agent: TestAgent): Promise<unknown> =>
  (await agent.get('/inspect/context')).body['mcpServers']

describe('a server that dies', () => {
  it('in the middle of a call: the outcome is unknown, and it comes back', async () => {
    const journal = new Journal()
    const agent = await agentWith({ connections: { odd: odd(`journal=${journal.path}`) } })
    const died = await agent.call('odd__die')
    expect(died.error).toMatch(/no answer came.*Whether it took effect is unknown/s)
    expect((await agent.call('odd__act', { n: 1 })).result).toBe('act did {"n":1}')
    expect(journal.pids).toHaveLength(2)
    expect(journal.of('call')).toEqual(['die {}', 'act {"n":1}'])
  })

  it('between two calls: the next one waits for it', async () => {
    const journal = new Journal()
    const agent = await agentWith({ connections: { odd: odd(`journal=${journal.path}`) } })
    await agent.call('odd__act')
    process.kill(journal.pids[0]!, 'SIGKILL')
    await until(() => !isAlive(journal.pids[0]!))
    expect((await agent.call('odd__act', { n: 2 })).result).toBe('act did {"n":2}')
  })

  it('at once, every time: the others and the agent work, and it says why', async () => {
    const agent = await agentWith({
      connections: { broken: odd('refuses'), fine: odd() },
      env: { SECRET_TOKEN: 's3cret-t0ken-value' },
      manifest: {
        models: {
          main: {
            provider: 'openai-compatible',
            model: 'scripted',
            baseUrl: 'env:AMODAL_BASE_URL',
            apiKey: 'env:SECRET_TOKEN',
          },
        },
      },
    })
    expect((await agent.call('fine__act')).result).toBe('act did {}')
    const told = await until(async () => {
      const all = JSON.stringify(await statuses(agent))
      return all.includes('failed') && all
    })
    expect(told).toContain('the database is away')
    expect(told).not.toContain('s3cret-t0ken-value')
    const { body } = await agent.get('/health')
    expect(body).toMatchObject({
      status: 'degraded',
      problems: [expect.stringContaining('broken: ')],
    })
    expect(JSON.stringify(body)).not.toContain('s3cret-t0ken-value')
  })
})

describe('a server that cannot be started', () => {
  it.each([
    ['a command that is not there', { command: 'no-such-command-anywhere' }, /ENOENT/],
    [
      'a variable that is not set',
      { ...odd(), env: { TOKEN: 'env:NOT_SET_ANYWHERE' } },
      /NOT_SET_ANYWHERE/,
    ],
    [
      'an address where nobody is',
      { transport: 'http', url: 'http://127.0.0.1:45999/mcp' },
      /could not be reached.*refused/,
    ],
  ])('%s', async (_, spec, why) => {
    const agent = await agentWith({ connections: { away: spec } })
    expect(await agent.tools()).toEqual([])
    expect(await status(agent, 'away')).toMatchObject({
      kind: 'mcp',
      status: 'failed',
      error: expect.stringMatching(why),
      tools: [],
    })
  })

  it('one that never says anything holds nobody up', async () => {
    // It has ten minutes to connect, and nobody waits for that.
    const agent = await agentWith({
      connections: { silent: odd('silent'), fine: odd() },
      config: { waitMs: 500, connectMs: 600_000 },
    })
    expect(await until(async () => (await agent.tools()).includes('fine__act'))).toBe(true)
    expect((await agent.call('fine__act')).result).toBe('act did {}')
    expect(await status(agent, 'silent')).toMatchObject({ status: 'connecting' })
    const impatient = await agentWith({
      connections: { silent: odd('silent') },
      config: { waitMs: 500, connectMs: 1_500 },
    })
    await until(async () => JSON.stringify(await statuses(impatient)).includes('failed'))
  })

  it('one that is slow is waited for by the first turn, and is there when it is ready', async () => {
    const agent = await agentWith({
      connections: { late: odd('late=700') },
      config: { waitMs: 15_000 },
    })
    expect(await agent.tools()).toContain('late__act')
    const later = await agentWith({
      connections: { late: odd('late=4000') },
      config: { waitMs: 100 },
    })
    expect(await later.tools()).toEqual([])
    expect(await until(async () => (await later.tools()).includes('late__act'))).toBe(true)
  })

  it('one that ends when it is asked for its version gets the older handshake', async () => {
    const journal = new Journal()
    const agent = await agentWith({
      connections: { strict: odd('strict', `journal=${journal.path}`) },
    })
    expect((await agent.call('strict__act')).result).toBe('act did {}')
    expect(journal.pids).toHaveLength(2)
    await agent.call('strict__die')
    await agent.call('strict__act')
    expect(journal.pids).toHaveLength(3) // known by then
  })
})

describe('a server that does not keep to the rules', () => {
  it('takes for ever: the call ends at its time, and the server is told', async () => {
    const journal = new Journal()
    const agent = await agentWith({
      connections: { odd: { ...odd(`journal=${journal.path}`), timeoutMs: 3_000 } },
    })
    expect((await agent.call('odd__hang')).error).toMatch(/did not answer within 3000 ms.*unknown/s)
    await until(() => journal.of('cancelled').length === 1)
    expect((await agent.call('odd__act')).result).toBe('act did {}') // the same process
    expect(journal.pids).toHaveLength(1)
  })

  it('is told when a person stops the turn', async () => {
    const journal = new Journal()
    const agent = await agentWith({ connections: { odd: odd(`journal=${journal.path}`) } })
    const turn = agent.call('odd__hang')
    await until(() => journal.of('call').length === 1)
    const { body } = await agent.get('/inspect/health')
    const [run] = body['runs'] as unknown as readonly {
      readonly session: Parameters<TestAgent['cancel']>[0]
    }[]
    await agent.cancel(run!.session)
    expect((await turn).events.at(-1)).toMatchObject({ type: 'done', reason: 'user_abort' })
    await until(() => journal.of('cancelled').length === 1)
  })

  it('writes what is no message: it is skipped', async () => {
    const agent = await agentWith({ connections: { odd: odd() } })
    expect((await agent.call('odd__garble')).result).toBe('and yet it answers')
  })

  it('sends more than is kept: it is cut off, and comes back', async () => {
    const agent = await agentWith({ connections: { odd: odd() }, config: { maxBytes: 100_000 } })
    expect((await agent.call('odd__huge')).error).toContain('more than 100000 bytes at once')
    expect((await agent.call('odd__act')).result).toBe('act did {}')
  })

  it('says a lot, and it is cut', async () => {
    const agent = await agentWith({ connections: { odd: odd() }, config: { resultChars: 1_000 } })
    expect((await agent.call('odd__huge', { n: 50_000 })).result).toMatch(
      /^z{1000}\n… \[cut: 50000 characters, 1000 kept\]$/,
    )
  })

  it('answers with something that is no result', async () => {
    const agent = await agentWith({ connections: { odd: odd() } })
    expect((await agent.call('odd__invalid')).result).toMatch(/left out.* content: .*array/)
  })

  it('has pages without end', async () => {
    const agent = await agentWith({ connections: { odd: odd('endless') } })
    expect(await agent.tools()).toContain('odd__look')
  })

  it('repeats a secret in its error: nobody sees it', async () => {
    const agent = await agentWith({
      connections: { odd: { ...odd(), env: { API_TOKEN: 'env:API_TOKEN' } } },
      env: { API_TOKEN: 's3cret-t0ken-value' },
    })
    const failed = await agent.call('odd__fail')
    expect(failed.error).toContain('it said no, with the token [MASKED]')
    expect(JSON.stringify([failed.events, agent.told()])).not.toContain('s3cret-t0ken-value')
    expect(JSON.stringify((await agent.call('odd__environment')).events)).not.toContain(
      's3cret-t0ken-value',
    )
  })
})

describe('a server over HTTP', () => {
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const address = server.address()
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  }

  it('that answers without end is cut off', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = setInterval(() => response.write('x'.repeat(50_000)), 1)
      response.on('close', () => clearInterval(more))
    })
    const agent = await agentWith({
      connections: { odd: { transport: 'http', url: `${url}/mcp` } },
      config: { maxBytes: 100_000 },
    })
    expect(await agent.tools()).toEqual([])
    expect(await status(agent, 'odd')).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('more than 100000 bytes'),
    })
  })

  it('gets the headers of its spec, and nobody that it sends us to does', async () => {
    const heard: string[] = []
    const elsewhere = await serve((request, response) => {
      heard.push(`elsewhere ${String(request.headers.authorization)}`)
      response.writeHead(404).end()
    })
    const url = await serve((request, response) => {
      heard.push(`here ${String(request.headers.authorization)}`)
      response.writeHead(307, { location: `${elsewhere}/mcp` }).end()
    })
    const agent = await agentWith({
      connections: {
        odd: { transport: 'http', url: `${url}/mcp`, headers: { Authorization: 'env:MCP_TOKEN' } },
      },
      env: { MCP_TOKEN: 'Bearer s3cret-t0ken-value' },
    })
    expect(await agent.tools()).toEqual([])
    await until(() => heard.length > 0)
    expect(heard).toContain('here Bearer s3cret-t0ken-value')
    expect(heard.join()).not.toContain('elsewhere')
    expect(JSON.stringify(await status(agent, 'odd'))).not.toContain('s3cret-t0ken-value')
  })
})

describe('what it leaves', () => {
  it('nothing: a server that will not go is made to, with what it has started', async () => {
    const journal = new Journal()
    const agent = await agentWith({
      connections: { odd: odd('stubborn', 'child', `journal=${journal.path}`) },
    })
    await agent.tools()
    const pids = [...journal.pids, ...journal.of('child').map(Number)]
    expect(pids.map(isAlive)).toEqual([true, true])
    await agent.close()
    expect(journal.of('heard')).toContain('SIGTERM')
    await until(() => pids.every((pid) => !isAlive(pid)))
  })

  it('a server in good order leaves when its input ends', async () => {
    const journal = new Journal()
    const agent = await agentWith({
      connections: { odd: odd(`journal=${journal.path}`), every: node(everything) },
    })
    await agent.tools()
    await agent.close()
    expect(journal.of('heard')).toEqual([])
    await until(() => !isAlive(journal.pids[0]!))
  })
})
