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
  type Agent,
  type AgentClient,
} from '@amodal/sdk'
import audit from '@amodal/plugin-audit'
import loop from '@amodal/plugin-loop'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import { PROVIDERS } from '../builtin.ts'
import { fills, pluginsIn } from '../config/entries.ts'
import { embedded } from '../embedded.ts'
import type { AgentConfig } from './agent-config.ts'
import { automationResults } from './automation-results.ts'
import { AmodalError, orThrow } from './amodal-error.ts'
import { givenModel, keyEnvironment } from './given-model.ts'
import {
  givenBundle,
  givenLog,
  givenMcpManager,
  givenSessionStore,
  givenStoreBackend,
} from './given-services.ts'
import { checkConfig, checkUser } from './known-config.ts'
import { EmbeddedSession, type AgentSession } from './session.ts'
import { streamHooks } from './stream-hooks.ts'
import type { User } from './user.ts'

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
  /** Waits for active runs, and releases all resources. */
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
    [
      ...embedded.entries,
      use(secretsEnv, { env, ...hintOf(config) }),
      ...(await givenParts(config)),
    ],
    { env, pinned, mustTap, builtinProviders: PROVIDERS },
  )
  if (!started.ok) throw AmodalError.ofStart(started.error)
  const { agent, close } = started.value

  const clientOf = (user: User): AgentClient => {
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
    createSession: async (user = {}) => new EmbeddedSession(clientOf(user)),
    async resumeSession(id, user = {}) {
      const client = clientOf(user)
      const found = await client.session(sessionId(id))
      if (!found.ok && found.error.code === 'SESSION_NOT_FOUND') return null
      orThrow(found)
      return new EmbeddedSession(client, sessionId(id))
    },
    getSystemPrompt: async () => orThrow(await agent.compiled()).prompt.text,
    getBundle: () => agent.bundle(),
    shutdown: () => close('shutdown'),
  }
}

/** Without `env` the variables of the process are not seen, which nobody expects. */
const hintOf = ({ env, provider }: AgentConfig): { readonly hint?: string } =>
  env === undefined && provider === undefined
    ? { hint: '`createAgent` sees only the variables that it is given: pass `env: process.env`' }
    : {}

/** The services in the configuration, as plugins. */
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
    ...(config.onAutomationResult ? [use(automationResults(config.onAutomationResult))] : []),
    ...(config.streamHooks?.onAuditLog
      ? [use(audit, { onLine: config.streamHooks.onAuditLog })]
      : []),
    ...plugins,
  ]
}
