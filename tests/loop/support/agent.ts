import loop, { type RuntimeSettings } from '@amodal/plugin-loop'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import {
  askId,
  BundleSource,
  definePlugin,
  LOCAL_TENANT,
  Log,
  Models,
  ok,
  principalId,
  SessionStore,
  startAgent,
  Tools,
  use,
  type AgentBundle,
  type AgentClient,
  type Clock,
  type Entry,
  type HookTaps,
  type JsonObject,
  type SessionRecord,
  type Logger,
  type Manifest,
  type SequencedEntry,
  type PluginError,
  type Running,
  type SendRequest,
  type Sent,
  type SessionId,
  type ToolDefinition,
} from '@amodal/sdk'
import { expect, onTestFinished } from 'vitest'
import { framesOf, told, type Told } from './frames.ts'
import { scriptedModel, type Script, type ScriptedModel } from './scripted-model.ts'

export interface TestAgentOptions {
  readonly script?: Script
  readonly tools?: readonly ToolDefinition[]
  /** Taps of a plugin named `probe`. */
  readonly taps?: (hooks: HookTaps) => void
  readonly limits?: Manifest['limits']
  /** In place of the scripted model. */
  readonly models?: Manifest['models']
  readonly bundleHash?: string
  readonly settings?: Partial<RuntimeSettings>
  readonly clock?: Clock
  /** Shared with other agents, in place of a memory of its own. */
  readonly store?: SessionStore
  /** Between the agent and its store. */
  readonly around?: (inner: SessionStore) => SessionStore
  readonly plugins?: readonly Entry[]
  readonly drainMs?: number
  readonly graceMs?: number
}

export interface TestAgent extends Running {
  readonly face: AgentClient
  readonly model: ScriptedModel
  readonly store: SessionStore
  /** Everything that plugins were blamed for. */
  readonly errors: readonly PluginError[]
  readonly log: readonly string[]
  /** The entries it was wired from, to reload with more. */
  readonly entries: readonly Entry[]
  send(text: string, session?: SessionId, more?: Partial<SendRequest>): Promise<Sent>
  /** Sends and reads on until the turn is over or waits. */
  say(text: string, session?: SessionId, more?: Partial<SendRequest>): Promise<Told>
  journal(session: SessionId): Promise<readonly SequencedEntry[]>
  kinds(session: SessionId): Promise<readonly string[]>
  sessionRecordOf(session: SessionId): Promise<SessionRecord | undefined>
  /** Questions that wait, oldest first. */
  asks(session: SessionId): Promise<readonly string[]>
  answer(
    session: SessionId,
    ...answers: readonly (readonly [ask: string | undefined, answer: JsonObject])[]
  ): ReturnType<AgentClient['answer']>
}

const SETTINGS: Partial<RuntimeSettings> = { drainMs: 200, pollMs: 20, sweepMs: 3_600_000 }

/**
 * An agent in memory with a scripted model. What a strict endpoint would refuse of its histories
 * fails the test.
 */
export async function startTestAgent(options: TestAgentOptions = {}): Promise<TestAgent> {
  const model = scriptedModel(options.script ?? [{ text: 'fine' }])
  const errors: PluginError[] = []
  const log: string[] = []
  const probe = definePlugin({
    name: 'probe',
    version: '1.0.0',
    provides: [Models, Tools, BundleSource, Log, ...(options.store ? [SessionStore] : [])],
    setup({ add, provide, hooks }) {
      add(Models, 'scripted', {
        model: () => ok(model.model),
        detect: () => ({ config: { provider: 'scripted', model: 'scripted-1' }, rank: 100 }),
      })
      add(Tools, 'test', { tools: () => options.tools ?? [] })
      provide(BundleSource, () => ({
        where: 'test',
        load: () => Promise.resolve(ok(bundleWith(options))),
      }))
      provide(Log, () => keepingLog(log))
      if (options.store) {
        const shared = options.store
        provide(SessionStore, () => shared)
      }
      hooks.kernel.failed.tap((error) => {
        errors.push(error)
      })
      options.taps?.(hooks)
    },
  })
  const { around } = options
  const wrap = definePlugin({
    name: 'around',
    version: '1.0.0',
    decorates: [SessionStore],
    setup({ decorate }) {
      if (around) decorate(SessionStore, around)
    },
  })
  const entries = [
    use(loop, { ...SETTINGS, ...options.settings }),
    ...(options.store ? [] : [use(sessionsMemory)]),
    use(probe),
    ...(around ? [use(wrap)] : []),
    ...(options.plugins ?? []),
  ]
  const started = await startAgent(entries, {
    ...(options.clock ? { clock: options.clock } : {}),
    drainMs: options.drainMs ?? 2_000,
    graceMs: options.graceMs ?? 2_000,
  })
  if (!started.ok) throw new Error(JSON.stringify(started.error))
  const { agent, kernel, close } = started.value
  const face = agent.as({ tenant: LOCAL_TENANT, principal: principalId('me') })
  onTestFinished(async () => {
    await close()
    expect(model.refused, 'histories that a strict endpoint would refuse').toEqual([])
  })

  async function send(
    text: string,
    session?: SessionId,
    more: Partial<SendRequest> = {},
  ): Promise<Sent> {
    return given(await face.send({ text, ...(session === undefined ? {} : { session }), ...more }))
  }
  async function journal(session: SessionId): Promise<readonly SequencedEntry[]> {
    return given(await face.session(session)).entries
  }
  return {
    agent,
    kernel,
    close,
    face,
    model,
    errors,
    log,
    entries,
    send,
    journal,
    store: kernel.scope.get(SessionStore),
    async say(text, session, more) {
      const sent = await send(text, session, more)
      return told(sent.session, await framesOf(sent.frames))
    },
    sessionRecordOf: async (session) =>
      given(
        await kernel.scope
          .get(SessionStore)
          .sessionRecord({ tenant: LOCAL_TENANT, session }, AbortSignal.timeout(1_000)),
      ),
    async kinds(session) {
      return (await journal(session)).map(({ kind }) => kind)
    },
    async asks(session) {
      return given(await face.session(session)).asks.map(({ id }) => id)
    },
    answer: (session, ...answers) =>
      face.answer(
        session,
        answers.map(([id, answer]) => ({ id: askId(id ?? ''), answer })),
      ),
  }
}

/** The value, or a test that fails with the reason. */
export function given<T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: unknown },
): T {
  if (result.ok) return result.value
  throw new Error(JSON.stringify(result.error))
}

function bundleWith({
  limits = {},
  models = {},
  bundleHash: hash = 'test',
}: TestAgentOptions): AgentBundle {
  return {
    hash,
    root: undefined,
    manifest: { name: 'test', version: '1.0.0', models, limits, raw: {} },
    instructions: undefined,
    skills: [],
    knowledge: [],
    stores: [],
    files: [],
    references: [],
    issues: [],
    parts: {},
  }
}

function keepingLog(lines: string[]): Logger {
  const keep = (level: string) => (event: string, data?: unknown) => {
    lines.push(`${level} ${event} ${JSON.stringify(data ?? {})}`)
  }
  return {
    trace: () => undefined,
    debug: () => undefined,
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
    child: () => keepingLog(lines),
  }
}

/** A gate that a script or a tool waits at. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
