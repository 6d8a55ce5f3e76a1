import { resolve } from 'node:path'
import {
  Agent, BundleSource, definePlugin, LOCAL_TENANT, Log, Models, ok, principalId, sessionId, startAgent, use,
  type AgentBundle, type AgentFace, type Entry, type LanguageModel, type Logger, type ModelConfig, type RuntimeSettings, type SessionId,
} from '@amodal/kernel'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import { wireEvent, type WireEvent } from '@amodal/sdk'
import { explainStart } from './config/explain.ts'
import { embedded } from './embedded.ts'

export interface AgentConfig {
  /** Folder of the agent. */
  readonly repoPath?: string
  /** The agent's files, given in code. */
  readonly bundle?: AgentBundle
  /** The name of a provider, or a model of the AI SDK. */
  readonly provider?: string | LanguageModel
  /** Of a provider that is named. */
  readonly providerConfig?: Partial<Omit<ModelConfig, 'provider'>>
  readonly apiKey?: string
  readonly logger?: Logger
  /** ms without a message until a session is idle. */
  readonly sessionTtlMs?: number
  /** What the agent sees of the environment; nothing where it is left out. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** More plugins, or replacements: `[use(weather), replace('sessions-memory', sessions)]`. */
  readonly plugins?: readonly Entry[]
  readonly settings?: Partial<RuntimeSettings>
}

export interface AgentSession {
  readonly id: SessionId
  /** The events of one turn, as clients get them. Leaving the loop early cancels nothing. */
  stream(message: string, options?: { readonly signal?: AbortSignal; readonly context?: Readonly<Record<string, string>> }): AsyncGenerator<WireEvent, void, undefined>
  /** The tenant's and person's view of the whole agent, for answers, forks and the like. */
  readonly session: AgentFace
}

export interface EmbeddedAgent {
  createSession(options?: { readonly userId?: string }): Promise<AgentSession>
  resumeSession(id: string, options?: { readonly userId?: string }): Promise<AgentSession | null>
  getSystemPrompt(): Promise<string>
  getBundle(): AgentBundle | undefined
  /** What the kernel runs on, for `inspect` and `reload`. */
  readonly agent: Agent
  shutdown(): Promise<void>
}

/**
 * Runs an agent inside your own process: no server, sessions in memory unless `plugins` says otherwise.
 *
 * @throws where the plugins or the agent's files cannot run, with every reason and its fix
 * @example
 * const agent = await createAgent({ repoPath: './my-agent', provider: 'groq', apiKey: process.env.GROQ_API_KEY })
 * const session = await agent.createSession({ userId: 'u1' })
 * for await (const event of session.stream('What is open?')) if (event.type === 'text_delta') process.stdout.write(event.content)
 * await agent.shutdown()
 * @see sdk-overview
 */
export async function createAgent(config: AgentConfig = {}): Promise<EmbeddedAgent> {
  const env = { ...config.env, ...(typeof config.provider === 'string' && config.apiKey !== undefined ? { AMODAL_EMBEDDED_KEY: config.apiKey } : {}) }
  const started = await startAgent([
    ...embedded.entries,
    use(secretsEnv, { env }),
    ...(config.repoPath === undefined ? [] : [use(repoFiles, { dir: resolve(config.repoPath) })]),
    ...(config.bundle === undefined ? [] : [use(givenBundle(config.bundle))]),
    ...(config.logger === undefined ? [] : [use(givenLog(config.logger))]),
    ...givenModel(config),
    ...config.plugins ?? [],
  ], { env, settings: { ...(config.sessionTtlMs === undefined ? {} : { sessionTtlMs: config.sessionTtlMs }), ...config.settings } })
  if (!started.ok) throw new Error(explainStart(started.error), { cause: started.error })
  const { agent, close } = started.value
  const faceOf = (userId: string | undefined): AgentFace => agent.as({ tenant: LOCAL_TENANT, principal: principalId(userId ?? 'local') })
  return {
    agent,
    createSession: (options = {}) => Promise.resolve(new Session(faceOf(options.userId), undefined)),
    resumeSession: async (id, options = {}) => {
      const face = faceOf(options.userId)
      const found = await face.session(sessionId(id))
      if (found.ok) return new Session(face, sessionId(id))
      if (found.error.code === 'SESSION_NOT_FOUND') return null
      throw new Error(`${found.error.code}: ${found.error.message}`, { cause: found.error })
    },
    getSystemPrompt: async () => {
      const compiled = await agent.compiled()
      if (compiled.ok) return compiled.value.prompt.text
      throw new Error(`${compiled.error.code}: ${compiled.error.message}`, { cause: compiled.error })
    },
    getBundle: () => agent.bundle(),
    shutdown: () => close('shutdown'),
  }
}

class Session implements AgentSession {
  readonly session: AgentFace
  #id: SessionId | undefined

  constructor(face: AgentFace, id: SessionId | undefined) {
    this.session = face
    this.#id = id
  }

  /** Known once the first message is accepted. */
  get id(): SessionId {
    if (this.#id === undefined) throw new Error('a session has an id once its first message is accepted')
    return this.#id
  }

  async *stream(message: string, options: { readonly signal?: AbortSignal; readonly context?: Readonly<Record<string, string>> } = {}): AsyncGenerator<WireEvent, void, undefined> {
    const sent = await this.session.send({
      text: message, ...(this.#id === undefined ? {} : { session: this.#id }), ...(options.context ? { context: options.context } : {}),
    }, options.signal)
    if (!sent.ok) throw new Error(`${sent.error.code}: ${sent.error.message}`, { cause: sent.error })
    this.#id = sent.value.session
    const { frames } = sent.value
    const cancel = (): void => void this.session.cancel(sent.value.session)
    options.signal?.addEventListener('abort', cancel, { once: true })
    try {
      for await (const frame of frames) yield wireEvent(frame)
    } finally {
      options.signal?.removeEventListener('abort', cancel)
    }
  }
}

/** A model given as a value, or the settings of one that is named: found before all others. */
function givenModel({ provider, providerConfig, apiKey }: AgentConfig): readonly Entry[] {
  if (provider === undefined) return []
  const named = typeof provider === 'string'
  const config: ModelConfig = named
    ? { model: 'default', ...providerConfig, provider, ...(apiKey === undefined ? {} : { apiKey: 'env:AMODAL_EMBEDDED_KEY' }) }
    : { provider: 'given', model: provider.modelId }
  return [use(definePlugin({
    name: 'given-model', version: '1.0.0', provides: [Models],
    setup({ add }) {
      add(Models, named ? 'given-name' : 'given', {
        model: () => (named ? { ok: false, error: { code: 'NO_MODEL', message: `"${provider}" is made by its own plugin` } } : ok(provider)),
        detect: () => ({ config, rank: -1 }),
      })
    },
  }))]
}

const givenBundle = (bundle: AgentBundle) => definePlugin({
  name: 'given-bundle', version: '1.0.0', provides: [BundleSource],
  setup({ provide }) { provide(BundleSource, () => ({ where: 'code', load: () => Promise.resolve(ok(bundle)) })) },
})

const givenLog = (logger: Logger) => definePlugin({
  name: 'given-log', version: '1.0.0', provides: [Log],
  setup({ provide }) { provide(Log, () => logger) },
})
