import connections from '@amodal/plugin-connections'
import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import inspect from '@amodal/plugin-inspect'
import loop, { type RuntimeSettings } from '@amodal/plugin-loop'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import {
  explain,
  LOCAL_TENANT,
  principalId,
  SessionStore,
  startAgent,
  unwrap,
  use,
  definePlugin,
  type AgentEvent,
  type Entry,
  type Kernel,
  type JsonObject,
  type FrameCursor,
  type SessionId,
  type ToolDefinition,
} from '@amodal/sdk'
import { reply, startModelServer, type ChatCompletionRequest } from '@amodal/sdk/testing'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { connectMcp } from '../../src/index.ts'

export interface AgentParts {
  /** `connections/<name>/spec.json`, completed with `protocol`. */
  readonly connections?: Readonly<Record<string, JsonObject>>
  /** `connections/<name>/access.json`. */
  readonly access?: Readonly<Record<string, JsonObject>>
  /** More of `amodal.json`. */
  readonly manifest?: JsonObject
  readonly env?: Readonly<Record<string, string>>
  readonly config?: JsonObject
  /** Of the way out. */
  readonly outbound?: JsonObject
  readonly settings?: Partial<RuntimeSettings>
  /** Shared with another agent: what a server leaves for the next one. */
  readonly store?: SessionStore
  /** More plugins, such as a database. */
  readonly plugins?: readonly Entry[]
}

export interface Turn {
  readonly session: SessionId
  readonly events: readonly AgentEvent[]
  /** Of the first call. */
  readonly result: string | undefined
  readonly error: string | undefined
  readonly asked: readonly Asked[]
}
type Asked = Extract<
  AgentEvent,
  { readonly type: 'confirmation_required' | 'ask_user' | 'ask_choice' }
>

interface Answering {
  /** What people answer: yes, unless it says otherwise; `undefined` leaves the question open. */
  readonly answer?: (asked: Asked) => JsonObject | undefined
  readonly session?: SessionId
}

export interface TestAgent {
  readonly dir: string
  readonly url: string
  readonly kernel: Kernel
  /** Has the model call a tool, and answers what people are asked. */
  call(tool: string, args?: JsonObject, options?: Answering): Promise<Turn>
  /** Has the model make several calls in one step. */
  calls(
    calls: readonly { readonly name: string; readonly arguments: JsonObject }[],
    options?: Answering,
  ): Promise<Turn>
  answer(session: SessionId, id: string, answer: JsonObject): Promise<Turn>
  cancel(session: SessionId): Promise<void>
  /** Tools that the next turn has. */
  tools(): Promise<readonly string[]>
  /** The same, to be called without a turn. */
  toolList(): Promise<readonly ToolDefinition[]>
  /** What the model was told of a tool. */
  told(): readonly ChatCompletionRequest[]
  get(path: string): Promise<{ readonly status: number; readonly body: JsonObject }>
  /** What a person does who signs in: their browser goes where the server sends them, and back. */
  signIn(connection: string): Promise<Response>
  /** Writes files of the agent and loads them. */
  write(files: Readonly<Record<string, JsonObject>>): Promise<void>
  close(): Promise<void>
}

const { PATH = '', HOME = '' } = process.env
export const ROOT = join(import.meta.dirname, '../..')
export const everything = join(
  ROOT,
  'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
)
export const node = (script: string, ...args: readonly string[]): JsonObject => ({
  command: process.execPath,
  args: [script, ...args],
})
export const odd = (...ways: readonly string[]): JsonObject =>
  node(join(ROOT, 'test/servers/odd.ts'), ...ways)
export const modern = (): JsonObject => node(join(ROOT, 'test/servers/modern.ts'))

/**
 * An agent in a folder of its own, with real plugins, and a model that calls what its person says.
 */
export async function startTestAgent(parts: AgentParts): Promise<TestAgent> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-mcp-'))
  const put = async (files: Readonly<Record<string, JsonObject>>): Promise<void> => {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(dir, path)), { recursive: true })
      await writeFile(join(dir, path), JSON.stringify(content))
    }
  }
  await put({ 'amodal.json': { name: 'test', ...parts.manifest }, ...filesOf(parts) })
  const model = await startModelServer({ script: (request) => obey(request) })
  const { store } = parts
  const sessions =
    store === undefined
      ? sessionsMemory
      : definePlugin({
          name: 'shared',
          version: '1.0.0',
          provides: [SessionStore],
          setup: ({ provide }) => provide(SessionStore, () => store),
        })
  const { kernel, agent, close } = unwrap(
    await startAgent([
      ...(parts.plugins ?? []),
      use(secretsEnv, {
        env: {
          PATH,
          HOME,
          AMODAL_BASE_URL: model.url,
          AMODAL_MODEL: 'scripted',
          AMODAL_API_KEY: 'none',
          ...parts.env,
        },
        masterKey: 'memory',
      }),
      use(outbound, parts.outbound),
      use(loop, { pollMs: 20, ...parts.settings }),
      use(sessions),
      use(repoFiles, { dir }),
      use(prompt),
      use(modelOpenaiCompatible),
      use(connections),
      use(http, { port: 0 }),
      use(inspect),
      use(connectMcp, { graceMs: 300, waitMs: 15_000, ...parts.config }),
    ]),
    (error) => (error.kind === 'agent' ? error.failure.message : explain(error)),
  )
  const { host, port } = kernel.scope.get(HttpApp).address() ?? { host: '', port: 0 }
  const face = agent.as({ tenant: LOCAL_TENANT, principal: principalId('me') })
  let closing: Promise<void> | undefined
  const end = (): Promise<void> =>
    (closing ??= Promise.resolve(close()).then(async () => {
      await model.close()
      await rm(dir, { recursive: true, force: true })
    }))

  async function read(
    session: SessionId,
    frames: FrameCursor,
    answer: NonNullable<Answering['answer']> | 'was given' = () => ({ approved: true }),
  ): Promise<Turn> {
    const events: AgentEvent[] = []
    const asked: Asked[] = []
    for await (const { event } of frames) {
      events.push(event)
      if (event.type === 'done') break
      if (
        event.type !== 'confirmation_required' &&
        event.type !== 'ask_user' &&
        event.type !== 'ask_choice'
      )
        continue
      asked.push(event)
      if (answer === 'was given') continue // what was asked before is told again
      const given = answer(event)
      if (given === undefined) break
      unwrap(
        await face.answer(session, [{ id: idOf(event), answer: given } as never]),
        ({ message }) => message,
      )
    }
    frames.close()
    const results = events.filter((event) => event.type === 'tool_call_result')
    return { session, events, asked, result: results[0]?.result, error: results[0]?.error }
  }
  async function say(text: string, options: Answering): Promise<Turn> {
    const sent = unwrap(
      await face.send({
        text,
        ...(options.session === undefined ? {} : { session: options.session }),
      }),
      ({ message }) => message,
    )
    return read(sent.session, sent.frames, options.answer)
  }
  return {
    dir,
    kernel,
    url: `http://${host}:${port}`,
    call: (name, args = {}, options = {}) =>
      say(JSON.stringify([{ name, arguments: args }]), options),
    calls: (calls, options = {}) => say(JSON.stringify(calls), options),
    async answer(session, id, answer) {
      const frames = unwrap(await face.follow(session, undefined), ({ message }) => message)
      unwrap(await face.answer(session, [{ id, answer } as never]), ({ message }) => message)
      return read(session, frames, 'was given')
    },
    async cancel(session) {
      unwrap(await face.cancel(session), ({ message }) => message)
    },
    async tools() {
      return unwrap(await agent.compiled(), ({ message }) => message)
        .tools.tools.map(({ name }) => name)
        .filter((name) => name.includes('__'))
    },
    async toolList() {
      return unwrap(await agent.compiled(), ({ message }) => message).tools.tools
    },
    told: () => model.requests.map(({ body }) => body),
    async get(path) {
      const answer = await fetch(`http://${host}:${port}${path}`)
      return { status: answer.status, body: (await answer.json()) as JsonObject }
    },
    async signIn(connection) {
      const begun = await fetch(`http://${host}:${port}/connections/${connection}/login`, {
        method: 'POST',
      })
      if (!begun.ok) return begun
      const { url } = (await begun.json()) as { readonly url: string }
      const page = await fetch(url, { redirect: 'manual' })
      return fetch(page.headers.get('location') ?? `http://${host}:${port}/no-way-back`)
    },
    async write(files) {
      await put(files)
      unwrap(await agent.reloadBundle(), ({ message }) => message)
    },
    close: end,
  }
}

export const idOf = (asked: Asked): string => ('ask_id' in asked ? asked.ask_id : asked.id)

export function filesOf({
  connections: specs = {},
  access = {},
}: Pick<AgentParts, 'connections' | 'access'>): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries([
    ...Object.entries(specs).map(([name, spec]) => [
      `connections/${name}/spec.json`,
      { protocol: 'mcp', ...spec },
    ]),
    ...Object.entries(access).map(([name, rules]) => [`connections/${name}/access.json`, rules]),
  ])
}

/** Calls what the person's words name, and then says what came of it. */
function obey({ messages }: ChatCompletionRequest): ReturnType<typeof reply.text> {
  const last = messages.at(-1)
  if (last?.role !== 'user') return reply.text('done')
  const words = typeof last.content === 'string' ? last.content : JSON.stringify(last.content)
  // what a server asks the model, beside the conversation
  if (!words.startsWith('[{')) return reply.text(`the model says: ${words}`)
  return reply.toolCalls(
    JSON.parse(words) as { readonly name: string; readonly arguments: JsonObject }[],
  )
}

/** Asks again and again until it holds. */
export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  ms = 60_000,
): Promise<T> {
  for (const end = performance.now() + ms; ;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`it did not become true within ${ms} ms`)
    await new Promise((resolve) => {
      setTimeout(resolve, 25)
    })
  }
}
