import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import logJson from '@amodal/plugin-log-json'
import { explainStart, startFolder } from '@amodal/presets'
import {
  Database,
  LocalToken,
  use,
  type Entry,
  type Json,
  type JsonObject,
  type Running,
} from '@amodal/sdk'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { type ModelServer, type Script, startModelServer } from '@amodal/sdk/testing'

type Files = Readonly<Record<string, string | object>>

export interface DoorOptions {
  readonly preset?: 'dev' | 'production'
  /** Of the agent folder, beside an `amodal.json` that names the scripted model. */
  readonly files?: Files | ((dir: string) => Files)
  /** Joins `amodal.json`; `url`: of the scripted model. */
  readonly manifest?: JsonObject | ((url: string) => JsonObject)
  readonly script: Script
  readonly env?: Readonly<Record<string, string>>
  readonly entries?: readonly Entry[]
  /** How many requests the model server remembers; 1,000 where it is left out. */
  readonly keep?: number
}

/** An answer as it came: the bytes, and what they say where they are JSON. */
export interface Heard {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: JsonObject
}

/** The real server of a preset, and the only way in that a client has. */
export interface Door extends AsyncDisposable {
  readonly url: string
  /** The token of its folder; empty where none is asked for. */
  readonly token: string
  readonly dir: string
  readonly model: ModelServer
  readonly running: Running
  /** Every line of the log, at the finest level. */
  readonly log: string[]
  /** Every row of every table, as text. */
  dump(): Promise<string>
  get(path: string, headers?: Record<string, string>): Promise<Heard>
  post(path: string, body: Json, headers?: Record<string, string>): Promise<Heard>
  /** A message, until its turn is over or waits for a person. */
  say(message: string, more?: JsonObject, headers?: Record<string, string>): Promise<Heard>
  /** The same as a stream, byte for byte. */
  streamText(message: string): Promise<string>
  /** The same as a stream: everything that is told. */
  stream(
    message: string,
    more?: JsonObject,
    headers?: Record<string, string>,
  ): Promise<readonly JsonObject[]>
  answer(body: JsonObject, headers?: Record<string, string>): Promise<Heard>
  /** Stops this server, and starts another one on the same folder. */
  restart(): Promise<void>
}

/** A field of what the server said, as text; empty where it is none. */
export const textIn = (said: JsonObject | undefined, field: string): string => {
  const value = said?.[field]
  return typeof value === 'string' ? value : ''
}

/**
 * Writes an agent folder and starts the preset's server on it, with a scripted model behind the
 * real protocol.
 */
export async function openDoor({
  preset = 'dev',
  files = {},
  manifest = {},
  script,
  env = {},
  entries = [],
  keep = 1_000,
}: DoorOptions): Promise<Door> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-door-'))
  const model = await startModelServer({ script, keep })
  const amodal = {
    name: 'door',
    version: '1.0.0',
    models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
    ...(typeof manifest === 'function' ? manifest(model.url) : manifest),
  }
  await write(dir, {
    'amodal.json': amodal,
    ...(typeof files === 'function' ? files(dir) : files),
  })
  const log: string[] = []
  const logs = use(logJson, {
    level: 'trace',
    format: 'json',
    target: {
      write: (line: string) => {
        log.push(line)
      },
    },
  })
  const start = async (): Promise<Running> => {
    const started = await startFolder({ dir, preset, env, port: 0, entries: [logs, ...entries] })
    if (!started.ok) throw new Error(explainStart(started.error))
    return started.value
  }
  let running = await start()
  const url = (): string => {
    const address = running.kernel.scope.get(HttpApp).address()
    if (!address) throw new Error('the server does not listen')
    return `http://${address.host}:${address.port}`
  }
  const heard = async (response: Response): Promise<Heard> => {
    const text = await response.text()
    const body =
      /json/.test(response.headers.get('content-type') ?? '') && text !== ''
        ? (JSON.parse(text) as JsonObject)
        : {} // what the server says is JSON
    return { status: response.status, headers: response.headers, text, body }
  }
  /** Of the person whose machine it is, where the test says nothing of who asks. */
  const token = (): string => running.kernel.scope.find(LocalToken)?.text() ?? ''
  const local = (): Record<string, string> =>
    token() === '' ? {} : { authorization: `Bearer ${token()}` }
  const send = (
    path: string,
    body: Json,
    headers: Record<string, string> = local(),
  ): Promise<Response> =>
    fetch(`${url()}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(240_000),
    })
  const post: Door['post'] = async (path, body, headers) => heard(await send(path, body, headers))
  return {
    dir,
    model,
    log,
    async dump() {
      const database = running.kernel.scope.get(Database)
      const rows = async (sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
        const read = await database.run({ sql, parameters: [] }, AbortSignal.timeout(30_000))
        if (!read.ok) throw new Error(read.error.message)
        return read.value
      }
      const tables = await rows(
        "select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
      )
      const texts = await Promise.all(
        tables.map(async ({ name }) =>
          (await rows(`select row_to_json(t)::text as text from ${String(name)} t`)).map(
            ({ text }) => String(text),
          ),
        ),
      )
      return texts.flat().join('\n')
    },
    get url() {
      return url()
    },
    get token() {
      return token()
    },
    get running() {
      return running
    },
    post,
    get: async (path, headers = {}) =>
      heard(await fetch(`${url()}${path}`, { headers, signal: AbortSignal.timeout(240_000) })),
    say: (message, more = {}, headers) => post('/chat/sync', { message, ...more }, headers),
    streamText: async (message) => (await send('/chat/stream', { message })).text(),
    async stream(message, more = {}, headers) {
      const { text } = await heard(await send('/chat/stream', { message, ...more }, headers))
      return text
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => JSON.parse(line.slice(6)) as JsonObject) // one object a line
    },
    answer: (body, headers) => post('/ask-user-response', body, headers),
    async restart() {
      await running.close('restart')
      running = await start()
    },
    async [Symbol.asyncDispose]() {
      await running.close('test')
      await model.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export async function write(
  dir: string,
  files: Readonly<Record<string, string | object>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(dir, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  }
}
