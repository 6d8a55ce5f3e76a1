import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import loop from '@amodal/plugin-loop'
import { modelOpenaiCompatible } from '@amodal/plugin-model-openai-compatible'
import { outbound } from '@amodal/plugin-outbound'
import { repoFiles } from '@amodal/plugin-repo-files'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { sessionsMemory } from '@amodal/plugin-sessions-memory'
import { stores } from '@amodal/plugin-stores'
import { storesMemory } from '@amodal/plugin-stores-memory'
import {
  askId,
  defineTool,
  definePlugin,
  err,
  explain,
  LOCAL_TENANT,
  messageOf,
  ok,
  Outbound,
  principalId,
  startAgent,
  tenantId,
  Tools,
  unwrap,
  use,
  type Agent,
  type AgentBundle,
  type AgentEvent,
  type AgentClient,
  type Entry,
  type Json,
  type Kernel,
  type PendingAsk,
  type SessionId,
} from '@amodal/sdk'
import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { z } from 'zod'
import { toolsCustom } from '../src/index.ts'

/** What became of one call. */
export interface Called {
  readonly status: string
  readonly output: Json
  readonly code?: string
  readonly ms: number
  readonly events: readonly AgentEvent[]
  readonly pending: readonly PendingAsk[]
  readonly session: SessionId
}

/** The output as text. */
export const said = ({ output }: Called): string =>
  typeof output === 'string' ? output : JSON.stringify(output)

export interface Desk extends AsyncDisposable {
  readonly dir: string
  readonly agent: Agent
  readonly face: AgentClient
  readonly kernel: Kernel
  readonly model: ModelServer
  readonly bundle: AgentBundle
  /** Lets the model call one tool, or several at once. */
  call(
    name: string,
    args?: object,
    more?: { readonly as?: AgentClient; readonly session?: SessionId },
  ): Promise<Called>
  callAll(...calls: readonly (readonly [name: string, args: object])[]): Promise<readonly Called[]>
  /** Goes on with a call that waits. */
  approve(called: Called, approved?: boolean): Promise<Called>
  as(tenant: string, roles?: readonly string[]): AgentClient
  write(path: string, text: string): Promise<void>
  reload(): Promise<AgentBundle>
}

export interface DeskOptions {
  readonly config?: object
  readonly env?: Readonly<Record<string, string>>
  readonly plugins?: readonly Entry[]
  /** Base address for the tool `request`. */
  readonly api?: string
  readonly manifest?: object
}

/** An agent with these files, before a model that calls what the test says. */
export async function desk(
  files: Readonly<Record<string, string>>,
  { config = {}, env = {}, plugins = [], api = '', manifest = {} }: DeskOptions = {},
): Promise<Desk> {
  const model = await startModelServer({ script: reply.text('Hello.') })
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'amodal-tools-')))
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  const amodal = {
    name: 'desk',
    models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
    ...manifest,
  }
  for (const [path, text] of Object.entries({ 'amodal.json': JSON.stringify(amodal), ...files }))
    await write(path, text)
  const started = await startAgent([
    use(loop, { drainMs: 500 }),
    use(secretsEnv, { env: { PATH: process.env['PATH'] ?? '', ...env }, dir, masterKey: 'memory' }),
    use(outbound, { privateOrigins: [model.url, ...(api === '' ? [] : [api])] }),
    use(modelOpenaiCompatible),
    use(sessionsMemory),
    use(repoFiles, { dir }),
    use(storesMemory),
    use(stores),
    use(requestPlugin, { api }),
    use(toolsCustom, { sandbox: 'process', ...config }),
    ...plugins,
  ])
  const { agent, kernel, close } = unwrap(started, (error) =>
    error.kind === 'agent' ? error.failure.message : explain(error),
  )
  const as = (tenant: string, roles: readonly string[] = []): AgentClient =>
    agent.as({ tenant: tenantId(tenant), principal: principalId('me'), roles })
  const face = agent.as({ tenant: LOCAL_TENANT, principal: principalId('me'), roles: ['ops'] })

  const outcomes = async (
    one: AgentClient,
    session: SessionId,
    events: readonly AgentEvent[],
    pending: readonly PendingAsk[],
  ): Promise<readonly Called[]> => {
    const { entries } = given(await one.session(session))
    const settled = entries.flatMap((entry) => (entry.kind === 'tool_outcome' ? [entry] : []))
    return settled.map(({ status, output, code, ms }) => ({
      status,
      output,
      ms,
      events,
      pending,
      session,
      ...(code !== undefined && { code }),
    }))
  }
  const last = (
    called: readonly Called[],
    pending: readonly PendingAsk[],
    session: SessionId,
    events: readonly AgentEvent[],
  ): Called =>
    called.at(-1) ?? {
      status: 'waits',
      output: pending.length > 0 ? null : JSON.stringify(events),
      ms: 0,
      events,
      pending,
      session,
    }
  return {
    dir,
    agent,
    face,
    kernel,
    model,
    as,
    write,
    get bundle() {
      return agent.bundle() ?? unwrapped()
    },
    async reload() {
      return given(await agent.reloadBundle())
    },
    async call(name, args = {}, { as: one = face, session } = {}) {
      model.play(reply.toolsThenText({ name, arguments: { ...args } }, 'Done.'))
      const turn = given(await one.ask({ text: 'Go', ...(session !== undefined && { session }) }))
      return last(
        await outcomes(one, turn.session, turn.events, turn.pending),
        turn.pending,
        turn.session,
        turn.events,
      )
    },
    async callAll(...calls) {
      model.play(
        reply.toolsThenText(
          calls.map(([name, args]) => ({ name, arguments: { ...args } })),
          'Done.',
        ),
      )
      const turn = given(await face.ask({ text: 'Go' }))
      return outcomes(face, turn.session, turn.events, turn.pending)
    },
    async approve({ session, pending }, approved = true) {
      const events: AgentEvent[] = []
      const rest = given(await face.follow(session, undefined))
      given(
        await face.answer(
          session,
          pending.map(({ id }) => ({ id: askId(id), answer: { approved } })),
        ),
      )
      for await (const { event } of rest) events.push(event)
      return last(await outcomes(face, session, events, []), [], session, events)
    },
    async [Symbol.asyncDispose]() {
      await close()
      await model.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

const unwrapped = (): never => {
  throw new Error('there is no bundle')
}

export function given<T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: unknown },
): T {
  if (result.ok) return result.value
  throw new Error(JSON.stringify(result.error))
}

const READS = ['GET', 'HEAD', 'OPTIONS']
const Requested = z.object({
  connection: z.string(),
  method: z.string(),
  endpoint: z.string(),
  params: z.record(z.string(), z.json()).optional(),
  data: z.json().optional(),
  headers: z.record(z.string(), z.string()).optional(),
})

/**
 * A `request` tool over loopback, with what the real one promises: an action that the guards judge,
 * and the parsed body.
 */
const requestPlugin = definePlugin({
  name: 'request',
  version: '1.0.0',
  requires: { outbound: Outbound },
  config: z.object({ api: z.string() }),
  setup({ add, deps, config: { api } }) {
    const tool = defineTool({
      name: 'request',
      description: 'Requests.',
      readOnly: false,
      input: Requested,
      action: (args) => {
        const read = Requested.safeParse(args)
        if (!read.success) return err(messageOf(read.error))
        const { connection, method, endpoint, params = {}, headers = {}, data } = read.data
        const url = new URL(api + endpoint)
        for (const [name, value] of Object.entries(params))
          for (const one of Array.isArray(value) ? value : [value])
            url.searchParams.append(name, typeof one === 'string' ? one : JSON.stringify(one))
        const query = Object.fromEntries(
          [...new Set(url.searchParams.keys())].map((name) => [
            name,
            url.searchParams.getAll(name),
          ]),
        )
        return ok({
          connection,
          protocol: 'rest',
          method,
          path: url.pathname,
          query,
          headers,
          effect: READS.includes(method) ? 'read' : 'write',
          ...(data !== undefined && { body: data }),
        })
      },
      execute: async (_, ctx) => {
        if (!ctx.action) return { status: 'error', message: 'nothing was judged' }
        const { method, path, query, headers, body } = ctx.action
        const url = new URL(api + path)
        for (const [name, values] of Object.entries(query))
          for (const value of values) url.searchParams.append(name, value)
        const answer = await deps.outbound.request({
          url: String(url),
          method,
          headers: { ...headers, 'content-type': 'application/json' },
          lease: ctx.lease,
          signal: ctx.signal,
          key: ctx.key,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        if (!answer.ok)
          return { status: 'error', message: answer.error.message, code: answer.error.code }
        const text = answer.value.text()
        return answer.value.status < 300
          ? { status: 'success', output: JSON.parse(text) as Json }
          : { status: 'error', message: `HTTP ${answer.value.status}`, code: 'TOOL_FAILED' }
      },
    })
    add(Tools, 'request', { tools: () => [tool] })
  },
})

export interface Api extends AsyncDisposable {
  readonly url: string
  readonly seen: readonly {
    readonly method: string
    readonly url: string
    readonly body: string
    readonly key: string | undefined
    readonly at: number
  }[]
}

/** A server on loopback that answers as it is told, and writes down what it is asked. */
export async function startApi(
  answer: (request: {
    readonly method: string
    readonly url: string
    readonly body: string
  }) => Json | Promise<Json>,
): Promise<Api> {
  const seen: { method: string; url: string; body: string; key: string | undefined; at: number }[] =
    []
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      const one = { method: request.method ?? '', url: request.url ?? '', body }
      seen.push({
        ...one,
        at: performance.now(),
        key: request.headers['idempotency-key'] as string | undefined,
      })
      const output = await answer(one)
      response
        .writeHead(output === null ? 404 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(output))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

/** A tool.json. */
export const toolJson = (more: object = {}): string =>
  JSON.stringify({ description: 'Does something.', ...more }, null, 2)

/** The files of a tool with a handler. */
export const handler = (
  name: string,
  code: string,
  more: object = {},
): Readonly<Record<string, string>> => ({
  [`tools/${name}/tool.json`]: toolJson(more),
  [`tools/${name}/handler.ts`]: code,
})
