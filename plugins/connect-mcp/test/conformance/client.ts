// The client under test of the conformance suite: a whole agent, with this plugin and a scripted
// model, that is connected to the server of one scenario. The suite appends the address of that
// server to the command.
import { isObject, type JsonObject } from '@amodal/sdk'
import { startTestAgent, type TestAgent, until } from '../support/start.ts'

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

/** How often a person signs in at most. */
const LOGINS = 3

const agent = await startTestAgent({
  connections: { remote: { transport: 'http', url, ...(await authFor(scenario, context)) } },
  config: { waitMs: 15_000 },
  // Authorization servers of the suite are on ports of this machine that nobody knows before, and
  // no file of an agent could name them.
  ...(scenario.startsWith('auth/') && {
    outbound: {
      privateOrigins: Array.from({ length: 64_511 }, (_, n) => `http://localhost:${n + 1_025}`),
    },
  }),
})
let logins = 0
try {
  await agent.tools()
  while (await signedIn());
  const { body } = await agent.get('/inspect/mcp/remote')
  if (body['status'] !== 'ready') throw new Error(`it is not connected: ${JSON.stringify(body)}`)
  for (const call of callsFor(scenario, context, await offered(agent))) {
    await made(call)
    // with more rights, where it wanted more
    while (await signedIn()) await made(call)
  }
} finally {
  await agent.close()
}

async function made({ name, arguments: args }: Call): Promise<void> {
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

/** A person who does what the server asks for. Returns whether there was something to do. */
async function signedIn(): Promise<boolean> {
  const { body } = await agent.get('/inspect/mcp/remote')
  if (!wants(body) || logins++ >= LOGINS) return false
  const back = await agent.signIn('remote')
  process.stdout.write(`${JSON.stringify(body['authorization'])}: ${await back.text()}\n`)
  if (!back.ok) throw new Error('nobody could sign in')
  await until(async () => {
    const now = (await agent.get('/inspect/mcp/remote')).body
    return now['status'] === 'ready' || now['error'] !== body['error'] || wants(now)
  })
  return true
}

/** Whether somebody has to sign in, or to allow more. */
function wants({ authorization }: JsonObject): boolean {
  const status =
    authorization !== undefined && isObject(authorization) ? authorization['status'] : 'none'
  return status === 'sign_in_needed' || status === 'more_rights_needed'
}

/** What the agent's files say of a client that the suite has registered before. */
async function authFor(name: string, given: unknown): Promise<JsonObject> {
  if (!name.startsWith('auth/')) return {}
  if (name === 'auth/basic-cimd')
    return {
      auth: {
        type: 'oauth2',
        clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
      },
    }
  const { client_id, client_secret, private_key_pem, signing_algorithm, issuer } =
    given as Readonly<Record<string, string | undefined>>
  if (client_id === undefined) return {}
  return {
    auth: {
      type: 'oauth2',
      clientId: client_id,
      issuer: issuer ?? (await issuerOf(url)),
      ...(name.includes('client-credentials') && { grant: 'client_credentials' }),
      ...(client_secret !== undefined && { clientSecret: client_secret }),
      ...(private_key_pem !== undefined && {
        privateKey: private_key_pem,
        algorithm: signing_algorithm ?? 'ES256',
      }),
    },
  }
}

/** For scenarios that do not say who gave their client its secret: an agent's file has to. */
async function issuerOf(server: string): Promise<string> {
  const { origin, pathname } = new URL(server)
  const metadata = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`)
  const { authorization_servers: [first = ''] = [] } = (await metadata.json()) as {
    readonly authorization_servers?: readonly string[]
  }
  return first
}

async function offered(agent: TestAgent): Promise<readonly string[]> {
  return (await agent.tools()).map((name) => name.replace(/^remote__/, ''))
}

/** Where it is checked which tools are offered, each of them is called. */
function callsFor(name: string, given: unknown, tools: readonly string[]): readonly Call[] {
  if (name === 'http-invalid-tool-headers' || name.startsWith('auth/'))
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
