import chat from '@amodal/plugin-chat'
import dbPglite from '@amodal/plugin-db-pglite'
import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import loop, { type RuntimeSettings } from '@amodal/plugin-loop'
import modelCost from '@amodal/plugin-model-cost'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessions from '@amodal/plugin-sessions'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import subagents from '@amodal/plugin-subagents'
import {
  Authenticator,
  BundleSource,
  Commands,
  defineBundle,
  definePlugin,
  defineTool,
  explain,
  ok,
  principalId,
  sessionId,
  startAgent,
  Tenancy,
  tenantId,
  Tools,
  unwrap,
  use,
  type AgentBundle,
  type AgentClient,
  type Clock,
  type Command,
  type Entry,
  type JsonObject,
  type Kernel,
  type Plugin,
  type Scope,
  type ToolDefinition,
} from '@amodal/sdk'
import { reply, startModelServer, type ModelServer, type Script } from '@amodal/sdk/testing'
import { z } from 'zod'
import { usage } from '../src/index.ts'

export const TENANT = tenantId('acme')
/** Dollars for a million tokens; `free` has no price. */
export const PRICES = {
  cheap: { input: 1, output: 10, cacheRead: 0.1 },
  dear: { input: 20, output: 200 },
}

export const STORAGES: readonly (readonly [name: string, entries: () => readonly Entry[]])[] = [
  ['memory', () => [use(sessionsMemory)]],
  ['pglite', () => [use(dbPglite, { dataDir: 'memory://' }), use(sessions)]],
]
export const PGLITE = (): readonly Entry[] => STORAGES[1]?.[1]() ?? []

/** A clock that stands still until it is set. */
export class SetClock implements Clock {
  #now = Date.parse('2026-05-01T09:00:00Z')

  now(): number {
    return this.#now
  }
  monotonic(): number {
    return performance.now()
  }
  set(to: string): void {
    this.#now = Date.parse(to)
  }
}

export interface World {
  readonly storage?: readonly Entry[]
  readonly script?: Script
  readonly clock?: Clock
  /** `usage` of `amodal.json`. */
  readonly settings?: JsonObject
  readonly entries?: readonly Entry[]
  /** Without the plugin. */
  readonly bare?: boolean
  /** In place of a server of the test's own. */
  readonly model?: Pick<ModelServer, 'url'>
  /** Times of the loop. */
  readonly runtime?: Partial<RuntimeSettings>
}

/** What the routes answer: tests look into it. */
export type Json = Readonly<Record<string, unknown>>

interface Who {
  readonly principal?: string
  readonly tenant?: string
  readonly scopes?: string
  readonly own?: boolean
}

export interface Door {
  readonly url: string
  readonly scope: Scope
  readonly kernel: Kernel
  readonly command: Command | undefined
  client(who?: Who): AgentClient
  get(path: string, who?: Who): Promise<Response>
  json(path: string, who?: Who): Promise<Json>
  /** Sends a message in a new session, or in one that is there. @returns the session */
  say(text: string, who?: Who, session?: string): Promise<string>
  close(): Promise<void>
}

/** An agent with the plugin on a real server, where headers say who asks. */
export async function start(world: World = {}): Promise<Door> {
  const own = world.model
    ? undefined
    : await startModelServer({ script: world.script ?? reply.text('It is 42.') })
  const modelUrl = (world.model ?? own)?.url ?? ''
  const started = unwrap(
    await startAgent(
      [
        use(secretsEnv, { env: {}, masterKey: 'memory' }),
        use(outbound),
        use(loop, world.runtime ?? {}),
        use(prompt),
        use(modelOpenaiCompatible),
        use(modelCost, {
          prices: Object.fromEntries(
            Object.entries(PRICES).map(([name, price]) => [`openai-compatible/${name}`, price]),
          ),
        }),
        use(subagents),
        use(http, { port: 0 }),
        use(chat),
        ...(world.storage ?? [use(sessionsMemory)]),
        use(filesOf(modelUrl, world.settings)),
        use(byHeader),
        ...(world.bare ? [] : [use(usage)]),
        ...(world.entries ?? []),
      ],
      world.clock ? { clock: world.clock } : {},
    ),
    (error) => ('failure' in error ? JSON.stringify(error.failure) : explain(error)),
  )
  const { kernel, agent } = started
  let closing: Promise<void> | undefined
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      await started.close()
      await own?.close()
    })())
  const url = `http://127.0.0.1:${kernel.scope.get(HttpApp).address()?.port ?? 0}`
  const client: Door['client'] = ({ tenant = TENANT, principal = 'ann' } = {}) =>
    agent.as({ tenant: tenantId(tenant), principal: principalId(principal) })
  const get: Door['get'] = (path, who) => fetch(url + path, { headers: headersOf(who) })
  return {
    url,
    scope: kernel.scope,
    kernel,
    command: kernel.current().registry(Commands).get('ops usage'),
    client,
    get,
    json: async (path, who) => (await (await get(path, who)).json()) as Json,
    async say(text, who, session) {
      const turn = await client(who).ask({
        text,
        ...(session !== undefined && { session: sessionId(session) }),
      })
      return unwrap(turn, ({ message }) => message).session
    },
    close,
  }
}

const headersOf = ({
  principal = 'ann',
  tenant = TENANT,
  scopes = '*',
  own = false,
}: Who = {}) => ({
  'x-principal': principal,
  'x-tenant': tenant,
  'x-scopes': scopes,
  ...(own && { 'x-own': 'yes' }),
})

/** Headers say who it is, of which tenant, and what the credential is good for. */
const byHeader = definePlugin({
  name: 'by-header',
  version: '1.0.0',
  provides: [Authenticator, Tenancy],
  setup({ provide }) {
    provide(Authenticator, () => ({
      configured: () => true,
      authenticate: async ({ headers }) => {
        const principal = headers.get('x-principal')
        if (principal === null) return ok(undefined)
        return ok({
          principal: principalId(principal),
          tenant: tenantId(headers.get('x-tenant') ?? ''),
          roles: headers.get('x-own') === null ? [] : ['own'],
          scopes: (headers.get('x-scopes') ?? '').split(','),
        })
      },
    }))
    provide(Tenancy, () => ({
      callerOf: ({ principal, tenant = TENANT, roles }) =>
        ok({ tenant, principal, roles, ownSessionsOnly: roles.includes('own') }),
    }))
  },
})

const tool = (name: string, isGood: boolean): ToolDefinition =>
  defineTool({
    name,
    description: name,
    readOnly: true,
    input: z.object({}),
    execute: async () =>
      isGood ? { status: 'success', output: 'fine' } : { status: 'error', message: 'no' },
  })

/** Tools that succeed and fail. */
export const looking = (): Entry =>
  use(
    definePlugin({
      name: 'looking',
      version: '1.0.0',
      setup: ({ add }) =>
        add(Tools, 'looking', { tools: () => [tool('look', true), tool('fail', false)] }),
    }),
  )

/** The agent's files. */
function filesOf(modelUrl: string, settings: JsonObject | undefined): Plugin {
  const defined = defineBundle({
    name: 'helper',
    models: {
      main: {
        provider: 'openai-compatible',
        model: 'cheap',
        baseUrl: modelUrl,
        apiKey: 'none',
      },
    },
  })
  const bundle: AgentBundle = settings
    ? { ...defined, manifest: { ...defined.manifest, raw: { name: 'helper', usage: settings } } }
    : defined
  return definePlugin({
    name: 'files',
    version: '1.0.0',
    provides: [BundleSource],
    setup: ({ provide }) =>
      provide(BundleSource, () => ({ where: 'test', load: () => Promise.resolve(ok(bundle)) })),
  })
}
