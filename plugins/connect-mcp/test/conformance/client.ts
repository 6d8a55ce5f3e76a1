// The client under test of the conformance suite: a whole agent, with this plugin and a scripted
// model, that is connected to the server of one scenario. The suite appends the address of that
// server to the command.
import { isObject, type JsonObject } from '@amodal/sdk'
import { startTestAgent, type TestAgent } from '../support/start.ts'

interface Call {
  readonly name: string
  readonly arguments: JsonObject
}

/** What a scenario waits to be called; one that is left out is content with the list of tools. */
const CALLS: Readonly<Record<string, readonly Call[]>> = {
  tools_call: [{ name: 'add_numbers', arguments: { a: 5, b: 3 } }],
  'elicitation-sep1034-client-defaults': [
    { name: 'test_client_elicitation_defaults', arguments: {} },
  ],
  'sse-retry': [{ name: 'test_reconnection', arguments: {} }],
  'http-standard-headers': ['test_headers', 'my-hyphenated-tool'].map((name) => ({
    name,
    arguments: {},
  })),
  'sep-2322-client-request-state': [
    'test_mrtr_echo_state',
    'test_mrtr_unrelated',
    'test_mrtr_no_state',
    'test_mrtr_unrelated',
    'test_mrtr_no_result_type',
  ].map((name) => ({ name, arguments: {} })),
  'json-schema-ref-no-deref': [{ name: 'lookup_user', arguments: { id: 'ada' } }],
}

const [url = ''] = process.argv.slice(2)
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const context: unknown = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}')

const agent = await startTestAgent({
  connections: { remote: { transport: 'http', url } },
  config: { waitMs: 15_000 },
})
try {
  await agent.tools()
  const { body } = await agent.get('/inspect/mcp/remote')
  if (body['status'] !== 'ready') throw new Error(`it is not connected: ${JSON.stringify(body)}`)
  for (const { name, arguments: args } of callsFor(scenario, context, await offered(agent))) {
    const { result, error } = await agent.call(`remote__${name}`, args, {
      // A person who sends what is in the form: its defaults, and yes where something is to be
      // confirmed.
      answer: (asked) =>
        asked.type === 'ask_user'
          ? {
              answers: {
                _action: 'accept',
                ...(asked.questions.some(({ id }) => id === 'confirmed') && { confirmed: true }),
              },
            }
          : { approved: true },
    })
    process.stdout.write(`${name}: ${result ?? `error: ${error}`}\n`)
  }
} finally {
  await agent.close()
}

async function offered(agent: TestAgent): Promise<readonly string[]> {
  return (await agent.tools()).map((name) => name.replace(/^remote__/, ''))
}

/** Where it is checked which tools are offered, each of them is called. */
function callsFor(name: string, given: unknown, tools: readonly string[]): readonly Call[] {
  if (name === 'http-invalid-tool-headers')
    return tools.map((tool) => ({ name: tool, arguments: {} }))
  const calls =
    typeof given === 'object' &&
    given !== null &&
    'toolCalls' in given &&
    Array.isArray(given.toolCalls)
      ? (given.toolCalls as readonly unknown[])
      : []
  const named = calls.filter(
    (call): call is Call =>
      typeof call === 'object' &&
      call !== null &&
      'name' in call &&
      'arguments' in call &&
      isObject(call.arguments as JsonObject),
  )
  return [...(CALLS[name] ?? []), ...named]
}
