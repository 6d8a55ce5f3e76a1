import assets from '../../src/index.ts'
import auth from '@amodal/plugin-auth'
import chat from '@amodal/plugin-chat'
import dbPglite from '@amodal/plugin-db-pglite'
import dbPostgres from '@amodal/plugin-db-postgres'
import http from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import loop, { type RuntimeSettings } from '@amodal/plugin-loop'
import modelAnthropic from '@amodal/plugin-model-anthropic'
import modelGoogle from '@amodal/plugin-model-google'
import modelOpenai from '@amodal/plugin-model-openai'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessions from '@amodal/plugin-sessions'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import tenant from '@amodal/plugin-tenant'
import {
  Database,
  defineBundle,
  explain,
  startAgent,
  unwrap,
  use,
  type Entry,
  type Json,
  type JsonObject,
  type ModelConfig,
  type Row,
  type Running,
} from '@amodal/sdk'
import {
  bundlePlugin,
  reply,
  startModelServer,
  type ModelServer,
  type Script,
} from '@amodal/sdk/testing'
import { onTestFinished } from 'vitest'

/** Two people of one tenant, and one of another. */
const KEYS = {
  ann: { id: 'a', tenant: 'acme' },
  bob: { id: 'b', tenant: 'acme' },
  eve: { id: 'e', tenant: 'evil' },
} as const
export type Who = keyof typeof KEYS

const keyOf = (who: Who): string => {
  const { id } = KEYS[who]
  return `amodal_${id.repeat(12)}_${id.repeat(43)}`
}

export interface ServingOptions {
  readonly script?: Script
  readonly model?: Partial<ModelConfig>
  readonly config?: Readonly<Record<string, unknown>>
  /** Callers see their own sessions only. */
  readonly own?: boolean
  /** Everything in memory. */
  readonly memory?: boolean
  readonly dataDir?: string
  readonly databaseUrl?: string
  readonly entries?: readonly Entry[]
  /** Of several tests, which close it. */
  readonly lasting?: boolean
  /** Origins on this machine from which files may be fetched. */
  readonly privateOrigins?: readonly string[]
  readonly settings?: Partial<RuntimeSettings>
}

export interface Heard {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  readonly body: JsonObject
}

export interface Serving extends Running {
  readonly url: string
  readonly model: ModelServer
  credential(who: Who): string
  rows(sql: string): Promise<readonly Row[]>
  count(table: string): Promise<number>
  call(path: string, init?: RequestInit, who?: Who): Promise<Heard>
  post(path: string, body: Json, who?: Who): Promise<Heard>
  upload(bytes: Uint8Array | string, type?: string, query?: string, who?: Who): Promise<Heard>
  /** Uploads what is taken. @returns its id */
  kept(bytes: Uint8Array | string, type?: string, name?: string, who?: Who): Promise<string>
  /** A message, until its turn is over. */
  say(message: string, more?: JsonObject, who?: Who): Promise<Heard>
}

/** A server that takes files, before a scripted model. */
export async function serving(options: ServingOptions = {}): Promise<Serving> {
  const { script = reply.text('Seen.'), model: config = {}, memory = false } = options
  const model = await startModelServer({ script })
  if (!options.lasting) onTestFinished(() => model.close())
  const main: ModelConfig = {
    provider: 'openai-compatible',
    model: 'scripted',
    baseUrl: model.url,
    apiKey: 'k',
    ...config,
  }
  const started = unwrap(
    await startAgent(
      [
        use(secretsEnv, {
          env: options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl },
        }),
        use(outbound, { privateOrigins: [...(options.privateOrigins ?? [])] }),
        use(loop, { drainMs: 200, pollMs: 20, ...options.settings }),
        use(modelOpenaiCompatible),
        use(modelAnthropic),
        use(modelOpenai),
        use(modelGoogle),
        use(http, { port: 0 }),
        use(auth, {
          keys: (['ann', 'bob', 'eve'] as const).map((who) => ({
            key: keyOf(who),
            tenant: KEYS[who].tenant,
            scopes: ['chat', 'sessions'],
          })),
          ...(memory && { database: false }),
        }),
        use(tenant, options.own ? { sessions: 'principal' } : {}),
        use(chat),
        ...(memory ? [use(sessionsMemory)] : [databaseOf(options), use(sessions)]),
        use(assets, options.config ?? {}),
        use(bundlePlugin(defineBundle({ name: 'helper', models: { main } }))),
        ...(options.entries ?? []),
      ],
      { drainMs: 2_000, graceMs: 2_000 },
    ),
    (error) => (error.kind === 'agent' ? error.failure.message : explain(error)),
  )
  if (!options.lasting) onTestFinished(() => started.close())
  const address = started.kernel.scope.get(HttpApp).address()
  if (!address) throw new Error('the server does not listen')
  const { scope } = started.kernel
  const rows: Serving['rows'] = async (sql) => {
    const limit = AbortSignal.timeout(30_000)
    const read = await scope.get(Database).run({ sql, parameters: [] }, limit)
    return unwrap(read, ({ message }) => message)
  }
  return {
    ...started,
    model,
    ...clientOf(`http://127.0.0.1:${address.port}`),
    rows,
    async count(table) {
      const [row] = await rows(`select count(*)::int as n from ${table}`)
      return Number(row?.['n'])
    },
  }
}

const databaseOf = ({ databaseUrl, dataDir = 'memory://' }: ServingOptions): Entry =>
  databaseUrl === undefined ? use(dbPglite, { dataDir }) : use(dbPostgres)

function clientOf(url: string): Omit<Serving, keyof Running | 'model' | 'rows' | 'count'> {
  const call = async (path: string, init: RequestInit = {}, who: Who = 'ann'): Promise<Heard> => {
    const response = await fetch(url + path, {
      ...init,
      headers: { authorization: `Bearer ${keyOf(who)}`, ...init.headers },
      signal: AbortSignal.timeout(120_000),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      // what the server says is JSON
      body: isJson && bytes.byteLength > 0 ? (JSON.parse(bytes.toString()) as JsonObject) : {},
    }
  }
  const post = (path: string, body: Json, who?: Who): Promise<Heard> =>
    call(
      path,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      },
      who,
    )
  const upload: Serving['upload'] = (bytes, type = '', query = '', who = 'ann') =>
    call(
      `/assets${query}`,
      { method: 'POST', headers: { 'content-type': type }, body: Buffer.from(bytes) },
      who,
    )
  return {
    url,
    credential: (who) => `Bearer ${keyOf(who)}`,
    call,
    post,
    upload,
    async kept(bytes, type, name, who) {
      const query = name === undefined ? '' : `?name=${encodeURIComponent(name)}`
      const { status, body } = await upload(bytes, type, query, who)
      if (status !== 201) throw new Error(`it was not taken: ${status} ${JSON.stringify(body)}`)
      return idIn(body)
    },
    say: (message, more = {}, who) => post('/chat/sync', { message, ...more }, who),
  }
}

/** The id of the only file of an answer. */
export function idIn(body: JsonObject): string {
  const [one] = body['assets'] as unknown as readonly JsonObject[] // of a 201
  return textIn(one ?? {}, 'id')
}

/** A field of what the server said, as text. */
export function textIn(said: JsonObject, field: string): string {
  const value = said[field]
  return typeof value === 'string' ? value : ''
}
