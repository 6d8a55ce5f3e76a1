import assets from '@amodal/plugin-assets'
import auth from '@amodal/plugin-auth'
import chat from '@amodal/plugin-chat'
import confirmations from '@amodal/plugin-confirmations'
import dbPglite from '@amodal/plugin-db-pglite'
import http from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import loop from '@amodal/plugin-loop'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import queueDatabase from '@amodal/plugin-queue-database'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessions from '@amodal/plugin-sessions'
import tenant from '@amodal/plugin-tenant'
import toolsPresent from '@amodal/plugin-tools-present'
import {
  defineBundle,
  explain,
  startAgent,
  unwrap,
  use,
  type AgentBundle,
  type JsonObject,
  type Running,
  type ToolDefinition,
} from '@amodal/sdk'
import { bundlePlugin, startModelServer, type ModelServer, type Script } from '@amodal/sdk/testing'
import {
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
  DefaultAgentCardResolver,
  type Client,
} from '@a2a-js/sdk/client'
import { onTestFinished } from 'vitest'
import { wireA2a } from '../../src/index.ts'

/** Keys of two principals of one tenant, of another tenant, and one that is not good for chat. */
const KEYS = {
  anna: { id: 'a', tenant: 'acme', scopes: ['chat', 'sessions'] },
  bob: { id: 'b', tenant: 'bolt', scopes: ['chat', 'sessions'] },
  files: { id: 'c', tenant: 'acme', scopes: ['files'] },
} as const
export type Key = keyof typeof KEYS
const NAMES = ['anna', 'bob', 'files'] as const

export const keyOf = (name: Key): string =>
  `amodal_${KEYS[name].id.repeat(12)}_${KEYS[name].id.repeat(43)}`

export type Binding = 'JSONRPC' | 'HTTP+JSON'

export interface Serving extends Running {
  readonly url: string
  readonly model: ModelServer
  /** The official client over one of the bindings, as one of the keys. */
  client(binding?: Binding, key?: Key): Promise<Client>
  /** The own protocol. */
  post(path: string, body: JsonObject, key?: Key): Promise<Response>
  get(path: string, key?: Key): Promise<Response>
}

/** A server with this wire and the own protocol, before a scripted model. */
export async function serving(options: {
  readonly script: Script
  readonly tools?: readonly ToolDefinition[]
  readonly config?: {
    readonly push: { readonly secret: string; readonly privateOrigins: string[] }
  }
  readonly env?: Readonly<Record<string, string>>
}): Promise<Serving> {
  const model = await startModelServer({ script: options.script })
  onTestFinished(() => model.close())
  const source = bundlePlugin(bundleOf(model.url), options.tools)
  const started = unwrap(
    await startAgent(
      [
        use(secretsEnv, { env: { ...options.env } }),
        use(outbound),
        use(loop, { drainMs: 200, pollMs: 20 }),
        use(prompt),
        use(modelOpenaiCompatible),
        use(toolsPresent),
        use(confirmations),
        use(http, { port: 0 }),
        use(auth, {
          keys: NAMES.map((name) => ({
            key: keyOf(name),
            tenant: KEYS[name].tenant,
            scopes: [...KEYS[name].scopes],
          })),
        }),
        use(tenant),
        use(dbPglite, { dataDir: 'memory://' }),
        use(sessions),
        use(assets),
        use(chat),
        use(queueDatabase, { graceMs: 500 }),
        use(wireA2a, options.config ?? {}),
        use(source),
      ],
      { drainMs: 2_000, graceMs: 2_000 },
    ),
    (error) => (error.kind === 'agent' ? error.failure.message : explain(error)),
  )
  onTestFinished(() => started.close())
  const address = started.kernel.scope.get(HttpApp).address()
  if (!address) throw new Error('the server does not listen')
  const url = `http://127.0.0.1:${address.port}`
  const headers = (key: Key) => ({ authorization: `Bearer ${keyOf(key)}` })
  return {
    ...started,
    model,
    url,
    client: (binding = 'JSONRPC', key = 'anna') => {
      const fetchImpl: typeof fetch = (input, init) =>
        fetch(input, { ...init, headers: { ...init?.headers, ...headers(key) } })
      const factory = new ClientFactory(
        ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
          transports: [
            new JsonRpcTransportFactory({ fetchImpl }),
            new RestTransportFactory({ fetchImpl }),
          ],
          preferredTransports: [binding],
          cardResolver: new DefaultAgentCardResolver(),
        }),
      )
      return factory.createFromUrl(url)
    },
    post: (path, body, key = 'anna') =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers(key) },
        body: JSON.stringify(body),
      }),
    get: (path, key = 'anna') => fetch(url + path, { headers: headers(key) }),
  }
}

const bundleOf = (modelUrl: string): AgentBundle =>
  defineBundle({
    name: 'helper',
    version: '1.2.3',
    description: 'A helper.',
    instructions: 'You help.',
    skills: [
      {
        name: 'greet',
        description: 'Greets people.',
        trigger: 'when somebody says hello',
        body: 'Say hello.',
      },
    ],
    models: { main: { provider: 'openai-compatible', model: 'm', baseUrl: modelUrl } },
  })
