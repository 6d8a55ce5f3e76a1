import type { JsonObject } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isWhole, newRandom } from '../../support/random.ts'
import { startApi, type ApiServer } from '../support/api-server.ts'
import { openDoor, type Door, textIn } from '../support/door.ts'
import { ORDINARY } from '../support/shapes/ordinary.ts'
import { OTHER_FORMATS } from '../support/shapes/other-formats.ts'
import { leaked, SEEN, type Shape } from '../support/shapes/shape.ts'
import { UNDERSTOOD } from '../support/shapes/understood.ts'

const SHAPES: readonly Shape[] = [
  ...UNDERSTOOD,
  ...OTHER_FORMATS,
  ...ORDINARY.map((shape) => ({ ...shape, understood: true as const })),
]
/** Shapes of a run that is not whole; which, changes from run to run. */
const SAMPLE = 20
const random = newRandom()

/**
 * Makes the call that it is told to make, and repeats all it was given, sub-agents and their
 * parents alike.
 */
const obedient: Script = ({ messages }) => {
  const last = messages.at(-1)
  if (last?.role === 'tool')
    return reply.text(
      `I was told: ${JSON.stringify(messages.filter(({ role }) => role === 'tool').map(({ content }) => content))}`.match(
        /[^]{1,40}/g,
      ) ?? [],
    )
  const text =
    typeof last?.content === 'string'
      ? last.content
      : (last?.content ?? []).map((part) => ('text' in part ? part.text : '')).join('')
  const { name, args } = JSON.parse(/CALL (.*) END/s.exec(text)?.[1] ?? '{}') as {
    readonly name: string
    readonly args: JsonObject
  }
  return reply.toolCalls([{ name, arguments: args }])
}
const order = (name: string, args: JsonObject): string =>
  `CALL ${JSON.stringify({ name, args })} END`

/** A server of MCP that says what the API says. */
const SERVER = `
import { createInterface } from 'node:readline'
const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'desk', version: '1' } })
  else if (method === 'tools/list') say(id, { tools: [{ name: 'look', description: 'Looks.', annotations: { readOnlyHint: true }, inputSchema: { type: 'object', properties: { n: { type: 'number' } } } }] })
  else if (method === 'tools/call') {
    const answered = await fetch(process.argv[2] + '/shapes/' + params.arguments.n)
    say(id, { content: [{ type: 'text', text: await answered.text() }], isError: answered.status >= 400 })
  } else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n')
})`

const PERSON = 'Person'
const ACCESS = {
  default: 'allow',
  fieldRestrictions: [
    { entity: PERSON, field: 'ssn', policy: 'never_retrieve', sensitivity: 'pii_identifier' },
    {
      entity: PERSON,
      field: 'email',
      policy: 'retrieve_but_redact',
      sensitivity: 'pii_identifier',
    },
    { entity: PERSON, field: 'credit_limit', policy: 'never_retrieve', sensitivity: 'financial' },
    {
      entity: PERSON,
      field: 'nickname',
      policy: 'role_gated',
      sensitivity: 'internal',
      allowedRoles: ['supervisor'],
    },
  ],
}

const WAYS: Readonly<Record<string, (at: number) => string>> = {
  request: (at) => order('request', { connection: 'crm', endpoint: `/shapes/${at}` }),
  handler: (at) => order('look_up', { at: String(at) }),
  'sub-agent': (at) =>
    order('dispatch_task', {
      prompt: order('request', { connection: 'crm', endpoint: `/shapes/${at}` }),
    }),
  MCP: (at) => order('desk__look', { n: at }),
}

describe('an answer of a connection with restricted fields', () => {
  let api: ApiServer
  let door: Door
  beforeAll(async () => {
    api = await startApi(({ url }) => {
      const shape = SHAPES[Number(url.split('/').at(-1))]
      if (!shape) return undefined
      const { body, type, status } = shape
      return {
        ...(status !== undefined && { status }),
        headers: { 'content-type': type ?? 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }
    })
    door = await openDoor({
      script: obedient,
      keep: 10_000,
      // Who chose the path is another guard's question, and nobody is here to answer it.
      manifest: { plugins: [{ without: 'guard-taint', unsafe: true }] },
      files: {
        'connections/crm/spec.json': { baseUrl: api.url },
        'connections/crm/access.json': ACCESS,
        'server.mjs': SERVER,
        'connections/desk/spec.json': {
          protocol: 'mcp',
          transport: 'stdio',
          command: process.execPath,
          args: ['server.mjs', api.url],
          trust: true,
        },
        'connections/desk/access.json': ACCESS,
        'tools/look_up/tool.json': {
          description: 'Looks up.',
          parameters: { type: 'object', properties: { at: { type: 'string' } } },
        },
        'tools/look_up/handler.ts':
          'export default async ({ at }, ctx) => {\n  const got = await ctx.request("crm", "/shapes/" + at)\n  return { got, text: JSON.stringify(got) }\n}',
      },
    })
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
  })

  const all = SHAPES.map((shape, at) => ({ name: shape.name, shape, at }))
  const sample = isWhole() ? all : random.sample(all, SAMPLE)
  test.each(sample)(
    `gives nobody what is restricted: $name, seed ${random.seed}`,
    async ({ shape, at }) => {
      const before = door.model.requests.length
      const told = await Promise.all(
        Object.entries(WAYS).map(async ([way, message]) => {
          const events = await door.stream(message(at))
          // As it was sent, and as it is read: pieces end anywhere.
          return {
            way,
            text: `${JSON.stringify(events)}\n${events.map((event) => (event['type'] === 'text_delta' ? textIn(event, 'content') : '')).join('')}`,
          }
        }),
      )
      const asked = JSON.stringify(
        door.model.requests.slice(before).flatMap(({ body }) => body.messages.slice(1)),
      )
      expect(leaked(asked), `told to the model: ${asked}`).toEqual([])
      for (const { way, text } of told) {
        expect(leaked(text), `${way}: told to the reader: ${text}`).toEqual([])
        expect(text, way).toContain('I was told')
        if (shape.understood) expect(text, `${way}: what is not restricted is told`).toContain(SEEN)
        if (shape.withheld) expect(text, way).toContain('was withheld: it may hold Person.ssn')
      }
    },
  )
})
