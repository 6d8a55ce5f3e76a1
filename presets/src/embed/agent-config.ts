import type { McpManager } from '@amodal/plugin-connect-mcp'
import type { RuntimeSettings } from '@amodal/plugin-loop'
import type { AgentBundle, Entry, Logger, SessionStore, StoreBackend } from '@amodal/sdk'
import type { ModelChoice } from './given-model.ts'
import type { PgPool } from './given-services.ts'
import type { AutomationResultHandlers } from './automation-results.ts'
import type { StreamHooks } from './stream-hooks.ts'

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
   * An existing MCP client: its tools become the agent's and need the same approvals. You close it.
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
   * Takes results of automations whose file has a target of `"type": "callback"`: one function for
   * all, or one for each `name`. One that throws, or takes longer than 10 s, is called again later.
   */
  readonly onAutomationResult?: AutomationResultHandlers
  /**
   * What the agent sees of the environment, such as `process.env`; nothing where it is left out.
   */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** More plugins, replacements and removals: `[use(weather), without('knowledge')]`. */
  readonly plugins?: readonly Entry[]
  readonly settings?: Partial<RuntimeSettings>
}
