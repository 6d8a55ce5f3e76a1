import { describe, expect, it, onTestFinished } from 'vitest'
import { statefulServer, type StatefulOptions, type StatefulServer } from './servers/stateful.ts'
import { agentWith } from './support/agent.ts'

async function serve(options?: StatefulOptions): Promise<StatefulServer> {
  const server = await statefulServer(options)
  onTestFinished(() => server.close())
  return server
}

describe('a server over HTTP that has forgotten its sessions', () => {
  it.each([
    ['404, as the protocol has it', { status: 404, body: 'Session not found' }],
    [
      '400, as many do',
      {
        status: 400,
        body: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}',
      },
    ],
  ])('gets the call once more, in a new session, when it answers %s', async (_, unknown) => {
    const server = await serve({ unknown })
    const agent = await agentWith({
      connections: { remote: { transport: 'http', url: server.url } },
    })
    expect((await agent.call('remote__act', { n: 1 })).result).toBe('did {"n":1}')
    server.forget()
    const turn = await agent.call('remote__act', { n: 2 })
    expect([turn.error, turn.result]).toEqual([undefined, 'did {"n":2}'])
    expect(turn.asked).toHaveLength(1) // one approval
    expect(server.heard.filter((one) => one.startsWith('call'))).toEqual([
      'call {"n":1}',
      'call {"n":2}',
    ])
    expect(server.heard.filter((one) => one === 'initialize')).toHaveLength(2)
  })

  it('is not asked for ever: one that forgets each session at once gets each call twice', async () => {
    const server = await serve()
    const agent = await agentWith({
      connections: { remote: { transport: 'http', url: server.url } },
    })
    await agent.tools()
    const forgetful = setInterval(() => server.forget(), 1)
    onTestFinished(() => clearInterval(forgetful))
    expect((await agent.call('remote__act')).error).toMatch(/cannot be reached.*not made/s)
    expect(server.heard.filter((one) => one.startsWith('call'))).toEqual([])
  })

  it('answers 400 to a call for another reason: that is its answer', async () => {
    const server = await serve({ unknown: { status: 400, body: 'no such tenant' } })
    const agent = await agentWith({
      connections: { remote: { transport: 'http', url: server.url } },
    })
    await agent.tools()
    server.forget()
    expect((await agent.call('remote__act')).error).toContain('no such tenant')
    expect(server.heard.filter((one) => one === 'initialize')).toHaveLength(1)
  })
})

it.each([404, 405, 500])(
  'a server without a stream of notifications, which it says with %i, is as good as any other',
  async (stream) => {
    const server = await serve({ stream })
    const agent = await agentWith({
      connections: { remote: { transport: 'http', url: server.url } },
    })
    expect((await agent.call('remote__act', { n: 1 })).result).toBe('did {"n":1}')
    expect((await agent.get('/inspect/mcp/remote')).body).toMatchObject({ status: 'ready' })
  },
)
