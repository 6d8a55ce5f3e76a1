import type { Lease, ToolContext, ToolResult } from '@amodal/sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { statefulServer } from './servers/stateful.ts'
import { agentWith, odd, type TestAgent } from './support/agent.ts'
import { Journal } from './support/journal.ts'

/** A lease that is held for the first `looks` looks at it, and has ended then. */
function lapsing(looks: number): Lease {
  let seen = 0
  return {
    remainingMs: () => (seen++ < looks ? 60_000 : 0),
    margin: 1_000,
    signal: new AbortController().signal,
  }
}

/** The call as the loop makes it, under a lease that ends on its way. */
async function under(
  lease: Lease,
  agent: TestAgent,
  name: string,
  args: { readonly n: number },
): Promise<ToolResult | undefined> {
  const tool = (await agent.toolList()).find((one) => one.name === name)
  return tool?.execute(args, {
    key: 'run:call',
    signal: AbortSignal.timeout(30_000),
    lease,
    progress: () => undefined,
    scope: { find: () => undefined },
  } as unknown as ToolContext) // what this tool uses of it
}

interface Way {
  readonly name: string
  readonly agent: TestAgent
  readonly calls: () => readonly string[]
}

async function stdio(): Promise<Way> {
  const journal = new Journal()
  return {
    name: 'odd__act',
    agent: await agentWith({ connections: { odd: odd(`journal=${journal.path}`) } }),
    calls: () => journal.of('call'),
  }
}

async function http(): Promise<Way> {
  const server = await statefulServer()
  onTestFinished(() => server.close())
  const agent = await agentWith({ connections: { remote: { transport: 'http', url: server.url } } })
  return {
    name: 'remote__act',
    agent,
    calls: () => server.heard.filter((one) => one.startsWith('call')),
  }
}

describe.each([
  ['stdio', stdio],
  ['HTTP', http],
])('a lease that ends between a call and the write of it, over %s', (_, way) => {
  it('keeps the call from the server, however late it ends, and the connection goes on', async () => {
    const { name, agent, calls } = await way()
    for (const looks of [0, 1, 2]) {
      expect(await under(lapsing(looks), agent, name, { n: looks })).toMatchObject({
        status: 'error',
        code: 'LEASE_LOST',
        message: expect.stringContaining('was not made') as string,
      })
    }
    expect(await under(lapsing(Infinity), agent, name, { n: 3 })).toMatchObject({
      status: 'success',
    })
    expect(calls().join()).toContain('"n":3')
    expect(calls()).toHaveLength(1)
  })
})
