import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import auth from '@amodal/plugin-auth'
import dbPglite from '@amodal/plugin-db-pglite'
import http from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import loop from '@amodal/plugin-loop'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessions from '@amodal/plugin-sessions'
import tenant from '@amodal/plugin-tenant'
import toolsCustom from '@amodal/plugin-tools-custom'
import { CodeSandbox } from '@amodal/plugin-tools-custom/tokens'
import {
  defineBundle,
  definePlugin,
  explain,
  ok,
  startAgent,
  unwrap,
  use,
  type Entry,
  type JsonObject,
  type Running,
} from '@amodal/sdk'
import { bundlePlugin } from '@amodal/sdk/testing'
import { onTestFinished } from 'vitest'
import { toolsVersions } from '../../src/index.ts'
import { RepoDouble } from './repo-double.ts'

/** Keys of two organizations, and one of a person without the scope. */
const KEYS = {
  acme: { id: 'a', tenant: 'acme', scopes: ['tools', 'tools:repo'] },
  bolt: { id: 'b', tenant: 'bolt', scopes: ['tools'] },
  chat: { id: 'c', tenant: 'acme', scopes: ['chat'] },
} as const
export type Key = keyof typeof KEYS

export const keyOf = (name: Key): string => {
  const { id } = KEYS[name]
  return `amodal_${id.repeat(12)}_${id.repeat(43)}`
}

/** The database of each server that a test file starts. */
export const database = {
  plugin: (): Entry | Promise<Entry> => use(dbPglite, { dataDir: 'memory://' }),
}

export interface Received {
  readonly status: number
  readonly text: string
  readonly body: Record<string, never> & { readonly [name: string]: unknown }
}

export interface Serving extends Running {
  readonly repo: RepoDouble
  readonly url: string
  /** Below `/v1/ORG/tool`, as the key of acme where none is named. */
  get(path: string, key?: Key, org?: string): Promise<Received>
  post(path: string, body: JsonObject, key?: Key, org?: string): Promise<Received>
  remove(path: string, key?: Key, org?: string): Promise<Received>
  /** Creates a tool. @returns its id */
  tool(name: string, more?: JsonObject): Promise<string>
  publish(tool: string, more?: JsonObject): Promise<Received>
  invoke(tool: string, version: string, ...inputs: readonly JsonObject[]): Promise<readonly Run[]>
}

export interface Run {
  readonly invocation_id: string
  readonly output: unknown
  readonly error: { readonly code: string; readonly message: string; readonly stack_trace: string }
  readonly duration_ms: number
}

export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'amodal-versions-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

interface Options {
  readonly config?: JsonObject
  readonly database?: Entry
  /** `none`: among the plugins. */
  readonly repo?: RepoDouble | 'none'
  readonly plugins?: readonly Entry[]
  /** Types are checked by a compiler of seconds: where a test is not about them, it need not. */
  readonly types?: boolean
}

/** The sandbox as it is, but for the check of types. */
const withoutTypes = definePlugin({
  name: 'without-types',
  version: '1.0.0',
  decorates: [CodeSandbox],
  setup({ decorate }) {
    decorate(CodeSandbox, (inner) => ({
      describe: (one, signal) => inner.describe(one, signal),
      run: (one, org, call, onStatus, signal) => inner.run(one, org, call, onStatus, signal),
      check: () => Promise.resolve(ok({ types: false })),
    }))
  },
})

/** A server with versioned tools, whose code runs in real processes. */
export async function serving(options: Options = {}): Promise<Serving> {
  const repo = options.repo instanceof RepoDouble ? options.repo : new RepoDouble()
  const folder = await temporaryFolder()
  const started = unwrap(
    await startAgent([
      use(secretsEnv, { env: { PATH: process.env['PATH'] ?? '', AMODAL_MASTER_KEY: MASTER_KEY } }),
      use(outbound),
      use(loop),
      use(prompt),
      use(http, { port: 0 }),
      use(auth, {
        keys: Object.entries(KEYS).map(([name, { tenant: org, scopes }]) => ({
          key: keyOf(name as Key), // names of KEYS
          tenant: org,
          scopes: [...scopes],
        })),
      }),
      use(tenant),
      options.database ?? (await database.plugin()),
      use(sessions),
      use(toolsCustom, { sandbox: 'process' }),
      ...(options.types === true ? [] : [use(withoutTypes)]),
      ...(options.repo === 'none' ? [] : [use(repo.plugin())]),
      use(toolsVersions, { folder, ...options.config }),
      use(bundlePlugin(defineBundle({ name: 'helper' }))),
      ...(options.plugins ?? []),
    ]),
    (error) => (error.kind === 'agent' ? error.failure.message : explain(error)),
  )
  onTestFinished(() => started.close())
  const address = started.kernel.scope.get(HttpApp).address()
  if (!address) throw new Error('the server does not listen')
  return { ...started, repo, ...clientOf(`http://127.0.0.1:${address.port}`) }
}

/** Two servers on one database open what the other has sealed. */
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')

function clientOf(url: string): Omit<Serving, keyof Running | 'repo'> {
  const call = async (
    method: string,
    path: string,
    body: JsonObject | undefined,
    key: Key,
    org: string,
  ): Promise<Received> => {
    const response = await fetch(`${url}/v1/${org}/tool${path}`, {
      method,
      headers: { authorization: `Bearer ${keyOf(key)}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      text,
      body: (text === '' ? {} : JSON.parse(text)) as Received['body'],
    }
  }
  const get: Serving['get'] = (path, key = 'acme', org = 'acme') =>
    call('GET', path, undefined, key, org)
  const post: Serving['post'] = (path, body, key = 'acme', org = 'acme') =>
    call('POST', path, body, key, org)
  return {
    url,
    get,
    post,
    remove: (path, key = 'acme', org = 'acme') => call('DELETE', path, undefined, key, org),
    async tool(name, more = {}) {
      const created = await post('', { name, ...more })
      if (created.status !== 201) throw new Error(created.text)
      return String(created.body['tool_id'])
    },
    publish: (tool, more = {}) =>
      post(`/${tool}/version`, { repo: 'team', branch: 'main', ...more }),
    async invoke(tool, version, ...inputs) {
      const invoked = await post(`/${tool}/version/${version}/invoke`, {
        inputs: inputs.map((input) => ({
          input_parameters: input,
          invocation_mode: 'regular',
        })),
      })
      if (invoked.status !== 200) throw new Error(invoked.text)
      return invoked.body['results'] as unknown as readonly Run[]
    },
  }
}

export const ORDER_INPUT = {
  type: 'object',
  properties: { order: { type: 'integer' } },
  required: ['order'],
  additionalProperties: false,
}

/** The folder of a tool. */
export function project(
  name: string,
  code: string,
  more: JsonObject = {},
): Readonly<Record<string, string>> {
  const json = { name, language: 'typescript', input: ORDER_INPUT, ...more }
  return { [`${name}/tool.json`]: JSON.stringify(json), [`${name}/tool.ts`]: code }
}

/** The code of a `run_tool` with its six parameters. */
export const code = (body: string): string =>
  `export async function run_tool(tool_input: any, metadata: any, config: any, conversation: any, send_status_event: any, user_variables: any) {
  ${body}
}
`
