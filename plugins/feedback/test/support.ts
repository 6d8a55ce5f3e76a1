import chat from '@amodal/plugin-chat'
import dbPglite from '@amodal/plugin-db-pglite'
import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import loop from '@amodal/plugin-loop'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessions from '@amodal/plugin-sessions'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import {
  Authenticator,
  Commands,
  BundleSource,
  defineBundle,
  definePlugin,
  explain,
  LOCAL_TENANT,
  ok,
  principalId,
  startAgent,
  tenantId,
  Tenancy,
  unwrap,
  use,
  type AgentBundle,
  type AgentClient,
  type Clock,
  type Command,
  type Entry,
  type JsonObject,
  type Plugin,
  type RuntimeEvent,
  type Scope,
} from '@amodal/sdk'
import { reply, startModelServer, type Script } from '@amodal/sdk/testing'
import { onTestFinished } from 'vitest'
import { feedback } from '../src/index.ts'

export const TENANT = tenantId('acme')

export const STORAGES: readonly (readonly [name: string, entries: () => readonly Entry[]])[] = [
  ['memory', () => [use(sessionsMemory)]],
  ['pglite', () => [use(dbPglite, { dataDir: 'memory://' }), use(sessions)]],
]

/** A clock that stands still until it is turned. */
export class TurnedClock implements Clock {
  #now = Date.parse('2026-05-01T09:00:00Z')

  now(): number {
    return this.#now
  }
  monotonic(): number {
    return performance.now()
  }
  turn(to: string): void {
    this.#now = Date.parse(to)
  }
}

interface World {
  readonly storage?: readonly Entry[]
  readonly script?: Script
  readonly clock?: Clock
  /** `feedback` of `amodal.json`. */
  readonly offer?: JsonObject
  /** Nobody is asked who they are. */
  readonly open?: boolean
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
  readonly events: readonly RuntimeEvent[]
  readonly scope: Scope
  readonly command: Command | undefined
  client(who?: Who): AgentClient
  get(path: string, who?: Who): Promise<Response>
  json(path: string, who?: Who): Promise<Json>
  post(body: object, who?: Who): Promise<Response>
  /** Asks the agent something in a new session, or in one that is there. @returns the session */
  ask(text: string, who?: Who, session?: string): Promise<string>
}

/** An agent with feedback on a real server, where headers say who asks. */
export async function boot(world: World = {}): Promise<Door> {
  const model = await startModelServer({ script: world.script ?? reply.text('It is 42.') })
  const events: RuntimeEvent[] = []
  const started = unwrap(
    await startAgent(
      [
        use(secretsEnv, { env: {}, masterKey: 'memory' }),
        use(outbound),
        use(loop),
        use(prompt),
        use(modelOpenaiCompatible),
        use(http, { port: 0 }),
        use(chat),
        ...(world.storage ?? [use(sessionsMemory)]),
        use(filesOf(model.url, world.offer)),
        ...(world.open ? [] : [use(byHeader)]),
        use(feedback),
        use(recorder(events)),
      ],
      world.clock ? { clock: world.clock } : {},
    ),
    (error) => ('failure' in error ? JSON.stringify(error.failure) : explain(error)),
  )
  const { kernel, agent } = started
  onTestFinished(async () => {
    await started.close()
    await model.close()
  })
  const url = `http://127.0.0.1:${kernel.scope.get(HttpApp).address()?.port ?? 0}`
  const own = world.open ? LOCAL_TENANT : TENANT
  const client: Door['client'] = ({ tenant = own, principal = 'ann' } = {}) =>
    agent.as({ tenant: tenantId(tenant), principal: principalId(principal) })
  const get: Door['get'] = (path, who) => fetch(url + path, { headers: headersOf(who) })
  return {
    url,
    events,
    scope: kernel.scope,
    command: kernel.current().registry(Commands).get('ops feedback'),
    client,
    get,
    json: async (path, who) => (await (await get(path, who)).json()) as Json,
    post: (body, who) =>
      fetch(`${url}/api/feedback`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headersOf(who) },
        body: JSON.stringify(body),
      }),
    async ask(text, who, session) {
      const turn = await client(who).ask({
        text,
        ...(session !== undefined && { session: unwrapSession(session) }),
      })
      return unwrap(turn, ({ message }) => message).session
    },
  }
}

type SessionOf = NonNullable<Parameters<AgentClient['ask']>[0]['session']>
const unwrapSession = (session: string): SessionOf => session as SessionOf // one that was given

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

const recorder = (events: RuntimeEvent[]): Plugin =>
  definePlugin({
    name: 'recorder',
    version: '1.0.0',
    setup({ hooks }) {
      hooks.event.runtime.tap((event) => void events.push(event))
    },
  })

/** The agent's files. */
function filesOf(modelUrl: string, offer: JsonObject | undefined): Plugin {
  const defined = defineBundle({
    name: 'helper',
    models: {
      main: {
        provider: 'openai-compatible',
        model: 'scripted',
        baseUrl: modelUrl,
        apiKey: 'none',
      },
    },
  })
  const bundle: AgentBundle = offer
    ? { ...defined, manifest: { ...defined.manifest, raw: { name: 'helper', feedback: offer } } }
    : defined
  return definePlugin({
    name: 'files',
    version: '1.0.0',
    provides: [BundleSource],
    setup: ({ provide }) =>
      provide(BundleSource, () => ({ where: 'test', load: () => Promise.resolve(ok(bundle)) })),
  })
}
