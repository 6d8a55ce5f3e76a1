import { resolve } from 'node:path'
import {
  BundleSource,
  LOCAL_TENANT,
  principalId,
  sessionId,
  tenantId,
  use,
  startAgent,
  defineBundle,
  type AgentBundle,
  type Entry,
  type Logger,
  type SessionStore,
  type Agent,
  type AgentFace,
  type StoreBackend,
} from '@amodal/sdk'
import audit from '@amodal/plugin-audit'
import type { McpManager } from '@amodal/plugin-connect-mcp'
import loop, { type RuntimeSettings } from '@amodal/plugin-loop'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import { fills, pluginsIn } from '../config/entries.ts'
import { embedded } from '../embedded.ts'
import { AmodalError, orThrow } from './amodal-error.ts'
import { givenModel, keyEnvironment, type ModelChoice } from './given-model.ts'
import {
  givenBundle,
  givenLog,
  givenMcpManager,
  givenSessionStore,
  givenStoreBackend,
  type PgPool,
} from './given-services.ts'
import { checkConfig, checkUser } from './known-config.ts'
import { EmbeddedSession, type AgentSession } from './session.ts'
import { streamHooks, type StreamHooks } from './stream-hooks.ts'

export interface AgentConfig extends ModelChoice {
  /** Folder of the agent. */
  readonly repoPath?: string
  /** The agent's files, given in code: see `defineBundle`. */
  readonly bundle?: AgentBundle
  /**
   * Keeps documents: a store of yours, or a `Pool` of `pg`, whose database gets the tables (the
   * pool stays yours to close). In memory where it is left out.
   */
  readonly storeBackend?: StoreBackend | PgPool
  /** Keeps sessions; in memory where it is left out. */
  readonly sessionStore?: SessionStore
  /**
   * Who has connected to MCP servers already: its tools are the agent's, too, and asked about like
   * others. It stays yours to close.
   */
  readonly mcpManager?: McpManager
  readonly logger?: Logger
  /**
   * ms without a message until a session is idle, and again until its history is deleted; 0: never.
   * An hour where it is left out.
   */
  readonly sessionTtlMs?: number
  readonly streamHooks?: StreamHooks
  /**
   * What the agent sees of the environment, such as `process.env`; nothing where it is left out.
   */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** More plugins, replacements and removals: `[use(weather), without('knowledge')]`. */
  readonly plugins?: readonly Entry[]
  readonly settings?: Partial<RuntimeSettings>
}

/** Who a session is for, as your own process has found out. */
export interface User {
  readonly userId?: string
  /** Whose data; one tenant for all where it is left out. */
  readonly tenant?: string
  /** What may be used: names of role files. */
  readonly roles?: readonly string[]
}

export interface EmbeddedAgent {
  /** A new session. Nothing of it is kept before its first message. */
  createSession(user?: User): Promise<AgentSession>
  /**
   * `null` where this tenant has no such session; with a `userId`, also where it is somebody
   * else's.
   */
  resumeSession(id: string, user?: User): Promise<AgentSession | null>
  /** What the model is told before the first message. */
  getSystemPrompt(): Promise<string>
  getBundle(): AgentBundle | undefined
  /** The whole agent, for whatever these methods do not cover. */
  readonly agent: Agent
  /** Waits for what is under way, and lets go of everything. */
  shutdown(): Promise<void>
}

/**
 * Runs an agent inside your own process: no server, sessions and documents in memory unless you say
 * otherwise.
 *
 * @throws {@link AmodalError} with `code` and `fix`, where the configuration has a field that
 *   nothing reads, and where the plugins, the agent's files or the model cannot be used
 * @example
 * const agent = await createAgent({
 *   repoPath: './my-agent',
 *   provider: 'groq',
 *   apiKey: process.env.GROQ_API_KEY,
 * })
 * const session = await agent.createSession({ userId: 'u1' })
 * for await (const event of session.stream('What is open?'))
 *   if (event.type === 'text_delta') process.stdout.write(event.content)
 * await agent.shutdown()
 * @see sdk-overview
 */
export async function createAgent(config: AgentConfig = {}): Promise<EmbeddedAgent> {
  orThrow(checkConfig(config))
  const env = { ...config.env, ...keyEnvironment(config) }
  const { pinned, mustTap } = embedded
  const started = await startAgent(
    [...embedded.entries, use(secretsEnv, { env }), ...(await givenParts(config))],
    { env, pinned, mustTap },
  )
  if (!started.ok) throw AmodalError.ofStart(started.error)
  const { agent, close } = started.value

  const faceOf = (user: User): AgentFace => {
    orThrow(checkUser(user))
    const { userId, tenant = LOCAL_TENANT, roles = [] } = user
    return agent.as({
      tenant: tenantId(tenant),
      principal: principalId(userId ?? 'local'),
      roles,
      ownSessionsOnly: userId !== undefined,
    })
  }
  return {
    agent,
    createSession: async (user = {}) => new EmbeddedSession(faceOf(user)),
    async resumeSession(id, user = {}) {
      const face = faceOf(user)
      const found = await face.session(sessionId(id))
      if (!found.ok && found.error.code === 'SESSION_NOT_FOUND') return null
      orThrow(found)
      return new EmbeddedSession(face, sessionId(id))
    },
    getSystemPrompt: async () => orThrow(await agent.compiled()).prompt.text,
    getBundle: () => agent.bundle(),
    shutdown: () => close('shutdown'),
  }
}

/** What was handed in, as plugins. */
async function givenParts(config: AgentConfig): Promise<readonly Entry[]> {
  const {
    repoPath,
    bundle,
    logger,
    mcpManager,
    storeBackend,
    sessionStore,
    sessionTtlMs,
    settings,
    plugins = [],
  } = config
  const files: readonly Entry[] = [
    ...(repoPath === undefined ? [] : [use(repoFiles, { dir: resolve(repoPath) })]),
    ...(bundle === undefined ? [] : [use(givenBundle(bundle))]),
  ]
  const nameless = files.length === 0 && !fills(pluginsIn(plugins), BundleSource)
  return [
    use(loop, { ...(sessionTtlMs !== undefined && { sessionTtlMs }), ...settings }),
    ...files,
    ...(nameless ? [use(givenBundle(defineBundle({ name: 'agent' })))] : []),
    ...(logger ? [use(givenLog(logger))] : []),
    ...(mcpManager ? await givenMcpManager(mcpManager) : []),
    ...(storeBackend ? await givenStoreBackend(storeBackend) : []),
    ...(sessionStore ? [givenSessionStore(sessionStore)] : []),
    ...givenModel(config),
    ...(config.streamHooks ? [use(streamHooks(config.streamHooks))] : []),
    ...(config.streamHooks?.onAuditLog
      ? [use(audit, { onLine: config.streamHooks.onAuditLog })]
      : []),
    ...plugins,
  ]
}
