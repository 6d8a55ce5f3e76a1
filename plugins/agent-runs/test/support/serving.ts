import auth from '@amodal/plugin-auth'
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
import subagents from '@amodal/plugin-subagents'
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
  type Running,
  type ToolDefinition,
} from '@amodal/sdk'
import { bundlePlugin, startModelServer, type ModelServer, type Script } from '@amodal/sdk/testing'
import { onTestFinished } from 'vitest'
import { agentRuns } from '../../src/index.ts'

export const BASE = '/api/platform/v1'
/** Keys of two tenants, and one that is good for nothing of this plugin. */
const KEYS = {
  acme: { id: 'a', tenant: 'acme', scopes: ['agents', 'artifacts'] },
  bolt: { id: 'b', tenant: 'bolt', scopes: ['agents', 'artifacts'] },
  chat: { id: 'c', tenant: 'acme', scopes: ['chat'] },
} as const
export type Key = keyof typeof KEYS

export const keyOf = (name: Key): string => {
  const { id } = KEYS[name]
  return `amodal_${id.repeat(12)}_${id.repeat(43)}`
}
const names = ['acme', 'bolt', 'chat'] as const

/** The database of each server that a test file starts. */
export const database = {
  plugin: (): Entry | Promise<Entry> => use(dbPglite, { dataDir: 'memory://' }),
}

export interface ServingOptions {
  readonly script: Script
  readonly tools?: readonly ToolDefinition[]
  readonly config?: Readonly<Record<string, unknown>>
  readonly files?: Readonly<Record<string, string>>
  readonly limits?: AgentBundle['manifest']['limits']
  readonly env?: Readonly<Record<string, string>>
  readonly plugins?: readonly Entry[]
}

export interface Answered {
  readonly status: number
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface Serving extends Running {
  readonly url: string
  readonly model: ModelServer
  /** As the key of acme where none is named. */
  get(path: string, key?: Key): Promise<Answered>
  post(
    path: string,
    body: JsonObject,
    headers?: Readonly<Record<string, string>>,
    key?: Key,
  ): Promise<Answered>
  open(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** Starts a run. @returns the id of its session */
  run(task: string, more?: JsonObject): Promise<string>
  /** Looks until the run has one of these statuses. */
  until(session: string, ...statuses: readonly string[]): Promise<Answered['body']>
}

/** A server with runs on an embedded database, before a scripted model. */
export async function serving(options: ServingOptions): Promise<Serving> {
  const model = await startModelServer({ script: options.script })
  onTestFinished(() => model.close())
  const source = bundlePlugin(bundleOf(model.url, options), options.tools)
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
        use(subagents),
        use(http, { port: 0 }),
        use(auth, {
          keys: names.map((name) => ({
            key: keyOf(name),
            tenant: KEYS[name].tenant,
            scopes: [...KEYS[name].scopes],
          })),
        }),
        use(tenant),
        await database.plugin(),
        use(queueDatabase, { graceMs: 500 }),
        use(sessions),
        use(agentRuns, options.config ?? {}),
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
  return { ...started, model, ...clientOf(`http://127.0.0.1:${address.port}`) }
}

function clientOf(url: string): Omit<Serving, keyof Running | 'model'> {
  const call = async (path: string, init: RequestInit, key: Key): Promise<Answered> => {
    const response = await fetch(url + path, {
      ...init,
      headers: { authorization: `Bearer ${keyOf(key)}`, ...init.headers },
    })
    const text = await response.text()
    return { status: response.status, text, body: JSON.parse(text) as Answered['body'] }
  }
  const client: Omit<Serving, keyof Running | 'model'> = {
    url,
    get: (path, key = 'acme') => call(BASE + path, {}, key),
    post: (path, body, headers = {}, key = 'acme') =>
      call(
        BASE + path,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        },
        key,
      ),
    open: (path, headers = {}) =>
      fetch(url + BASE + path, {
        headers: { authorization: `Bearer ${keyOf('acme')}`, ...headers },
      }),
    async run(task, more = {}) {
      const { status, body, text } = await client.post('/agents/run', {
        profile_id: 'agent',
        task,
        ...more,
      })
      if (status !== 202) throw new Error(`it was not started: ${status} ${text}`)
      return String(body['session_id'])
    },
    async until(session, ...statuses) {
      for (;;) {
        const { body, text } = await client.get(`/agents/${session}/status`)
        if (statuses.includes(String(body['status']))) return body
        if (['complete', 'error', 'canceled', 'not_found'].includes(String(body['status'])))
          throw new Error(`it ended otherwise: ${text}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  }
  return client
}

const bundleOf = (modelUrl: string, { files = {}, limits = {} }: ServingOptions): AgentBundle => ({
  hash: 'test',
  root: undefined,
  instructions: {
    name: 'helper',
    body: 'You are the agent itself.',
    file: 'AGENT.md',
    fields: {},
  },
  skills: [],
  knowledge: [],
  stores: [],
  references: [],
  issues: [],
  parts: {},
  files: Object.entries(files).map(([path, text]) => ({ path, text })),
  manifest: {
    name: 'helper',
    version: '1.2.3',
    models: { main: { provider: 'openai-compatible', model: 'm', baseUrl: modelUrl } },
    limits,
    raw: {},
  },
})

export interface SseFrame {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: Readonly<Record<string, unknown>>
}

/** The frames of an event stream, up to its end or until `enough` says so. */
export async function framesOf(
  response: Response,
  enough: (frames: readonly SseFrame[]) => boolean = () => false,
): Promise<{ readonly frames: readonly SseFrame[]; readonly text: string }> {
  const frames: SseFrame[] = []
  let text = ''
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    const part = decoder.decode(chunk, { stream: true })
    text += part
    const blocks = (rest + part).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string): string | undefined =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      const data = field('data')
      if (data !== undefined)
        frames.push({ id: field('id'), event: field('event'), data: JSON.parse(data) })
    }
    if (enough(frames)) break
  }
  return { frames, text }
}
