import { LOCAL_TENANT, principalId, silentLogger } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { Client, type Transport } from '@modelcontextprotocol/client'
import { expect, describe, onTestFinished, test } from 'vitest'
import { bridge } from '../src/stdio/bridge.ts'
import { McpEndpoint, type McpLines } from '../src/tokens.ts'
import { keyOf, serving, until, type Serving } from './support/serving.ts'

const REVISIONS = {
  '2025-11-25': { versionNegotiation: { mode: 'legacy' } },
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
} as const
const forms = { capabilities: { elicitation: { form: {} } } }

type Message = Parameters<Transport['send']>[0]

/** Lines in both directions, as between a client and a process that it has started. */
class Pipe implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>
  readonly lines: McpLines
  readonly #waiting: string[] = []
  #wake: () => void = () => undefined
  #ended = false

  constructor() {
    const next = (): Promise<void> =>
      new Promise((resolve) => {
        this.#wake = resolve
      })
    const input = async function* (pipe: Pipe): AsyncGenerator<string> {
      for (;;) {
        yield* pipe.#waiting.splice(0)
        if (pipe.#ended) return
        if (pipe.#waiting.length === 0) await next()
      }
    }
    this.lines = {
      input: input(this),
      write: (text) => this.onmessage?.(JSON.parse(text) as Message),
    }
  }

  start = (): Promise<void> => Promise.resolve()
  send(message: Message): Promise<void> {
    this.#waiting.push(JSON.stringify(message))
    this.#wake()
    return Promise.resolve()
  }
  close(): Promise<void> {
    this.#ended = true
    this.#wake()
    this.onclose?.()
    return Promise.resolve()
  }
}

const WAYS = {
  'in this process': (server: Serving, lines: McpLines, signal: AbortSignal): Promise<void> => {
    const caller = { tenant: LOCAL_TENANT, principal: principalId('local') }
    return server.kernel.scope.get(McpEndpoint).serve(lines, caller, signal)
  },
  'through a server': (server: Serving, lines: McpLines, signal: AbortSignal): Promise<void> => {
    const remote = { url: server.url, credential: keyOf('acme'), scope: undefined }
    return bridge(remote, lines, silentLogger, signal)
  },
}
const ALL = (['in this process', 'through a server'] as const).flatMap((way) =>
  (['2025-11-25', '2026-07-28'] as const).map((revision) => ({ way, revision })),
)

describe.each(ALL)('over lines, $way, on $revision', ({ way, revision }) => {
  const options = REVISIONS[revision]

  async function over(server: Serving): Promise<{ client: Client; closed: Promise<void> }> {
    const pipe = new Pipe()
    const closed = WAYS[way](server, pipe.lines, new AbortController().signal)
    const client = new Client({ name: 'test', version: '1.0.0' }, { ...options, ...forms })
    client.setRequestHandler('elicitation/create', () => ({
      action: 'accept',
      content: { response: 'plain' },
    }))
    await client.connect(pipe)
    onTestFinished(() => client.close())
    return { client, closed }
  }

  test('a client asks, is asked, and leaves', async () => {
    const script = reply.toolsThenText(
      { name: 'ask_user', arguments: { question: 'Which tone?' } },
      ['Written ', 'plainly.'],
    )
    const server = await serving({ script })
    const { client, closed } = await over(server)
    const progress: (string | undefined)[] = []
    const result = await client.callTool(
      { name: 'ask', arguments: { message: 'Write' } },
      { onprogress: ({ message }) => progress.push(message) },
    )
    expect(result.content).toEqual([{ type: 'text', text: 'Written plainly.' }])
    expect(progress.join('')).toContain('Written plainly.')
    await client.close()
    await closed
  })

  test('who cancels a request stops the run', async () => {
    const server = await serving({
      script: reply.text(['Well', '…'], { ending: { kind: 'stall', after: 1 } }),
    })
    const { client } = await over(server)
    const controller = new AbortController()
    const asked = client.callTool(
      { name: 'ask', arguments: { message: 'Think' } },
      { signal: controller.signal, onprogress: () => controller.abort() },
    )
    await expect(asked).rejects.toThrow()
    await until(() => server.agent.runs().length === 0)
  })
})
