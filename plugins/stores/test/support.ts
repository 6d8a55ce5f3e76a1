import loop from '@amodal/plugin-loop'
import {
  callId,
  defineBundle,
  definePlugin,
  explain,
  ok,
  principalId,
  PromptSections,
  runId,
  sessionId,
  SessionFacts,
  startAgent,
  tenantId,
  ToolAliases,
  Tools,
  unwrap,
  use,
  type Audience,
  type BundleParts,
  type Entry,
  type JsonObject,
  type RuntimeEvent,
  type ToolContext,
  type ToolResult,
} from '@amodal/sdk'
import { bundlePlugin } from '@amodal/sdk/testing'
import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { storesMemory } from '@amodal/plugin-stores-memory'
import { stores } from '../src/index.ts'
import { boundOutbound } from '@amodal/sdk/loop'

type Parts = NonNullable<BundleParts['stores']>[number]

/** A store with a field of every type. */
export const ALERTS: Parts = {
  name: 'active-alerts',
  description: 'What is wrong now.',
  ttl: 60,
  history: { versions: 2 },
  entity: {
    name: 'Alert',
    key: '{service}:{id}',
    schema: {
      id: { type: 'number', min: 1, max: 1_000 },
      service: { type: 'ref', store: 'services' },
      title: { type: 'string', description: 'In one line' },
      severity: { type: 'enum', values: ['P1', 'P2', 'P3'] },
      open: { type: 'boolean' },
      at: { type: 'datetime' },
      tags: { type: 'array', item: { type: 'string' }, nullable: true },
      owner: {
        type: 'object',
        fields: { name: { type: 'string' }, phone: { type: 'string', nullable: true } },
        nullable: true,
      },
      rating: { type: 'enum', values: ['low', 'high'], nullable: true },
    },
  },
}
export const alert = (id: number, more: JsonObject = {}): JsonObject => ({
  id,
  service: 'api',
  title: `Alert ${id}`,
  severity: 'P2',
  open: true,
  at: '2026-11-21T10:00:00Z',
  ...more,
})

export interface Desk extends AsyncDisposable {
  /** Calls a tool as the loop would: the arguments are checked first. */
  call(
    tool: string,
    args: JsonObject,
    as?: { readonly key?: string; readonly tenant?: string },
  ): Promise<ToolResult | string>
  readonly names: readonly string[]
  schema(tool: string): JsonObject | undefined
  request(
    path: string,
    init?: RequestInit,
  ): Promise<{ readonly status: number; readonly body: unknown }>
  /** As above, with a document as JSON. */
  post(
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly body: unknown }>
  prompt(): string
  /** What was told of changes, as it came. */
  readonly told: readonly { readonly event: RuntimeEvent; readonly audience: Audience }[]
}

/** An agent of stores in memory, with its routes. */
export async function desk(
  all: readonly Parts[] = [ALERTS],
  config: object = {},
  more: readonly Entry[] = [],
): Promise<Desk> {
  const bundle = defineBundle({ name: 'desk', stores: all })
  const given = bundlePlugin(bundle)
  const told: { readonly event: RuntimeEvent; readonly audience: Audience }[] = []
  const listener = definePlugin({
    name: 'listener',
    version: '1.0.0',
    setup: ({ hooks }) =>
      hooks.event.runtime.tap((event, audience) => {
        told.push({ event, audience })
      }),
  })
  const { kernel, close } = unwrap(
    await startAgent([
      use(loop),
      use(given),
      use(storesMemory, { keepStaleHours: 0, purgeSeconds: 0.05 }),
      use(stores, config),
      use(http, { port: 0 }),
      use(listener),
      ...more,
    ]),
    (error) => (error.kind === 'agent' ? error.failure.message : explain(error)),
  )
  const generation = kernel.current()
  const tools = [...generation.registry(Tools).values()].flatMap((source) => source.tools(bundle))
  const aliases = [...generation.registry(ToolAliases).values()]
    .map((make) => make(bundle))
    .reduce((one, other) => ({ ...one, ...other }), {})
  const find = (name: string) =>
    tools.find((tool) => tool.name === name || tool.name === aliases[name])
  let calls = 0

  const contextOf = (tenant: string, key: string): ToolContext => {
    const facts = { tenant: tenantId(tenant), session: sessionId('s'), principal: principalId('p') }
    const signal = AbortSignal.timeout(10_000)
    const lease = { remainingMs: () => 60_000, margin: 0, signal }
    const scope = kernel.scope.child('session', [[SessionFacts, facts]])
    return {
      ...facts,
      run: runId('r'),
      callId: callId('c'),
      bundle,
      key,
      signal,
      lease,
      outbound: boundOutbound(() => undefined, { lease, signal }),
      log: generation.log,
      scope,
      progress: () => undefined,
      roles: [],
      context: {},
      sessionState: {},
      call: async () => ({ status: 'error', message: 'no tools here' }),
      scrub: async (message) => ok(message),
    }
  }
  const request: Desk['request'] = async (path, init) => {
    const response = await kernel.scope
      .get(HttpApp)
      .fetch(new Request(`http://localhost${path}`, init))
    return { status: response.status, body: await response.json() }
  }
  return {
    names: tools.map(({ name }) => name),
    schema: (name) => find(name)?.parameters,
    async call(name, args, { key = `call-${++calls}`, tenant = 'local' } = {}) {
      const tool = find(name)
      if (!tool) return `there is no tool ${name}`
      const parsed = tool.parse(args)
      return parsed.ok ? tool.execute(parsed.value, contextOf(tenant, key)) : parsed.error
    },
    request,
    told,
    post: (path, body, headers) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    prompt: () =>
      [...generation.registry(PromptSections).values()]
        .flatMap((source) => source.sections(bundle, { tools, aliases }))
        .map(({ body }) => body)
        .join('\n'),
    [Symbol.asyncDispose]: () => close(),
  }
}
