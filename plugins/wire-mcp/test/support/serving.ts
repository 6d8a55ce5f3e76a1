import auth from '@amodal/plugin-auth'
import chat from '@amodal/plugin-chat'
import compaction from '@amodal/plugin-compaction'
import confirmations from '@amodal/plugin-confirmations'
import http from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import knowledge from '@amodal/plugin-knowledge'
import loop from '@amodal/plugin-loop'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import skills from '@amodal/plugin-skills'
import stores from '@amodal/plugin-stores'
import storesMemory from '@amodal/plugin-stores-memory'
import tenant from '@amodal/plugin-tenant'
import toolsPresent from '@amodal/plugin-tools-present'
import {
  explain,
  startAgent,
  unwrap,
  use,
  type AgentBundle,
  type Entry,
  type JsonObject,
  type KnowledgeDocument,
  type Running,
  type Skill,
  type StoreDefinition,
  type ToolDefinition,
} from '@amodal/sdk'
import {
  bundlePlugin,
  reply,
  startModelServer,
  type ModelServer,
  type Script,
} from '@amodal/sdk/testing'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { wireMcp } from '../../src/index.ts'

/** Keys of two tenants, two people of one of them, and one that may only chat. */
const KEYS = {
  acme: { id: 'a', tenant: 'acme', scopes: ['chat', 'sessions', 'stores'] },
  bolt: { id: 'b', tenant: 'bolt', scopes: ['chat', 'sessions', 'stores'] },
  chat: { id: 'c', tenant: 'acme', scopes: ['chat'] },
  none: { id: 'd', tenant: 'acme', scopes: ['sessions'] },
} as const
export type Key = keyof typeof KEYS
const names = ['acme', 'bolt', 'chat', 'none'] as const

export const keyOf = (name: Key): string => {
  const { id } = KEYS[name]
  return `amodal_${id.repeat(12)}_${id.repeat(43)}`
}

export interface ServingOptions {
  readonly script?: Script
  readonly tools?: readonly ToolDefinition[]
  readonly config?: Readonly<Record<string, unknown>>
  readonly knowledge?: readonly KnowledgeDocument[]
  readonly files?: AgentBundle['files']
  readonly skills?: readonly Skill[]
  readonly stores?: readonly StoreDefinition[]
  readonly auth?: Readonly<Record<string, unknown>>
  /** `false`: nobody is asked who they are. */
  readonly keys?: boolean
  readonly plugins?: readonly Entry[]
}

export interface Serving extends Running {
  readonly url: string
  readonly model: ModelServer
  post(path: string, body: JsonObject, key?: Key): Promise<Answered>
  get(path: string, key?: Key): Promise<Answered>
  /** Replaces the agent's files. */
  write(change: Partial<Pick<AgentBundle, 'knowledge' | 'skills'>>): Promise<void>
}
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

/** A server with an agent in memory, before a scripted model. */
export async function serving(options: ServingOptions): Promise<Serving> {
  const model = await startModelServer({ script: options.script ?? reply.text('Hello.') })
  onTestFinished(() => model.close())
  let bundle = bundleOf(model.url, options)
  const source = bundlePlugin(() => bundle, options.tools)
  const keys =
    options.keys === false
      ? []
      : names.map((name) => ({
          key: keyOf(name),
          tenant: KEYS[name].tenant,
          scopes: [...KEYS[name].scopes],
        }))
  const started = unwrap(
    await startAgent(
      [
        use(secretsEnv, { env: {}, masterKey: 'memory' }),
        use(outbound),
        use(loop, { drainMs: 200, pollMs: 20 }),
        use(prompt),
        use(skills),
        use(knowledge),
        use(compaction),
        use(modelOpenaiCompatible),
        use(stores),
        use(storesMemory),
        use(toolsPresent),
        use(confirmations),
        use(http, { port: 0 }),
        use(auth, { keys, database: false, warn: false, ...options.auth }),
        use(tenant),
        use(sessionsMemory),
        use(chat),
        use(wireMcp, options.config ?? {}),
        use(source),
        ...(options.plugins ?? []),
      ],
      { drainMs: 2_000, graceMs: 2_000 },
    ),
    (error) => (error.kind === 'agent' ? error.failure.message : explain(error)),
  )
  onTestFinished(() => started.close())
  const address = started.kernel.scope.get(HttpApp).address()
  if (!address) throw new Error('the server does not listen')
  const url = `http://127.0.0.1:${address.port}`
  const call = async (path: string, init: RequestInit, key: Key): Promise<Answered> => {
    const { status, headers, ...response } = await answered(url + path, {
      ...init,
      headers: {
        authorization: `Bearer ${keyOf(key)}`,
        accept: 'application/json',
        'content-type': 'application/json',
      },
    })
    return { status, headers, body: response.body }
  }
  return {
    ...started,
    model,
    url,
    get: (path, key = 'acme') => call(path, {}, key),
    post: (path, body, key = 'acme') =>
      call(path, { method: 'POST', body: JSON.stringify(body) }, key),
    async write(change) {
      bundle = { ...bundle, ...change, hash: `${bundle.hash}+` }
      unwrap(await started.agent.reloadBundle(), ({ message }) => message)
    },
  }
}

async function answered(url: string, init: RequestInit): Promise<Answered> {
  const response = await fetch(url, init)
  const text = await response.text()
  const body = JSON.parse(text === '' ? '{}' : text) as Answered['body']
  return { status: response.status, headers: response.headers, body }
}

type ClientOptions = ConstructorParameters<typeof Client>[1]

/** A client of the protocol's own library. */
export async function connect(
  { url }: Pick<Serving, 'url'>,
  options: ClientOptions = {},
  key: Key = 'acme',
  prepare: (client: Client) => void = () => undefined,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  prepare(client)
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${keyOf(key)}` } },
    }),
  )
  onTestFinished(() => client.close())
  return client
}

const bundleOf = (modelUrl: string, options: ServingOptions): AgentBundle => ({
  hash: 'test',
  root: undefined,
  instructions: { name: 'helper', body: 'You help.', file: 'AGENT.md', fields: {} },
  skills: options.skills ?? [],
  knowledge: options.knowledge ?? [],
  stores: options.stores ?? [],
  references: [],
  issues: [],
  parts: {},
  files: options.files ?? [],
  manifest: {
    name: 'helper',
    version: '1.2.3',
    models: { main: { provider: 'openai-compatible', model: 'm', baseUrl: modelUrl } },
    limits: {},
    raw: {},
  },
})

/** Asks again and again until it holds. */
export async function until(look: () => Promise<boolean> | boolean, ms = 60_000): Promise<void> {
  for (const end = performance.now() + ms; !(await look());) {
    if (performance.now() > end) throw new Error(`it did not become true within ${ms} ms`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
