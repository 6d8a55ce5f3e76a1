import assets from '@amodal/plugin-assets'
import auth from '@amodal/plugin-auth'
import chat from '@amodal/plugin-chat'
import { clientTools } from '@amodal/plugin-client-tools'
import confirmations from '@amodal/plugin-confirmations'
import dbPglite from '@amodal/plugin-db-pglite'
import http from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import loop from '@amodal/plugin-loop'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
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
import OpenAI from 'openai'
import { onTestFinished } from 'vitest'
import { wireOpenai } from '../../src/index.ts'

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

export interface Serving extends Running {
  readonly url: string
  readonly model: ModelServer
  /** The official client, as one of the keys; anna where none is named. */
  client(key?: Key): OpenAI
  /** The own protocol. */
  post(path: string, body: JsonObject, key?: Key): Promise<Response>
  get(path: string, key?: Key): Promise<Response>
}

/** A server with this wire and the own protocol, before a scripted model. */
export async function serving(options: {
  readonly script: Script
  readonly tools?: readonly ToolDefinition[]
}): Promise<Serving> {
  const model = await startModelServer({ script: options.script })
  onTestFinished(() => model.close())
  const source = bundlePlugin(bundleOf(model.url), options.tools)
  const started = unwrap(
    await startAgent(
      [
        use(secretsEnv, { env: {} }),
        use(outbound),
        use(loop, { drainMs: 200, pollMs: 20 }),
        use(prompt),
        use(modelOpenaiCompatible),
        use(toolsPresent),
        use(confirmations),
        use(clientTools),
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
        use(wireOpenai),
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
    client: (key = 'anna') =>
      new OpenAI({ baseURL: `${url}/v1`, apiKey: keyOf(key), maxRetries: 0 }),
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
    instructions: 'You help.',
    models: { main: { provider: 'openai-compatible', model: 'm', baseUrl: modelUrl } },
  })
