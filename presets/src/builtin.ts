import type { Preset } from './define-preset.ts'

type Load<T> = () => Promise<{ readonly default: T }>

/** Presets by name, loaded when they are chosen. */
export const PRESETS: Readonly<Record<string, Load<Preset>>> = {
  embedded: () => import('./embedded.ts'),
  dev: () => import('./dev.ts'),
  production: () => import('./production.ts'),
}

/**
 * Plugins that `plugins` in amodal.json may name without a path or package; a test compares it with
 * the folders.
 */
export const PLUGINS: Readonly<Record<string, Load<unknown>>> = {
  audit: () => import('@amodal/plugin-audit'),
  auth: () => import('@amodal/plugin-auth'),
  'bootstrap-files': () => import('@amodal/plugin-bootstrap-files'),
  chat: () => import('@amodal/plugin-chat'),
  compaction: () => import('@amodal/plugin-compaction'),
  confirmations: () => import('@amodal/plugin-confirmations'),
  'connect-mcp': () => import('@amodal/plugin-connect-mcp'),
  'connect-rest': () => import('@amodal/plugin-connect-rest'),
  connections: () => import('@amodal/plugin-connections'),
  'db-pglite': () => import('@amodal/plugin-db-pglite'),
  'db-postgres': () => import('@amodal/plugin-db-postgres'),
  erasure: () => import('@amodal/plugin-erasure'),
  events: () => import('@amodal/plugin-events'),
  'guard-access': () => import('@amodal/plugin-guard-access'),
  'guard-fields': () => import('@amodal/plugin-guard-fields'),
  'guard-output': () => import('@amodal/plugin-guard-output'),
  'guard-taint': () => import('@amodal/plugin-guard-taint'),
  http: () => import('@amodal/plugin-http'),
  inspect: () => import('@amodal/plugin-inspect'),
  knowledge: () => import('@amodal/plugin-knowledge'),
  limits: () => import('@amodal/plugin-limits'),
  'log-activity': () => import('@amodal/plugin-log-activity'),
  'log-json': () => import('@amodal/plugin-log-json'),
  loop: () => import('@amodal/plugin-loop'),
  'loop-guard': () => import('@amodal/plugin-loop-guard'),
  memory: () => import('@amodal/plugin-memory'),
  'model-anthropic': () => import('@amodal/plugin-model-anthropic'),
  'model-cassette': () => import('@amodal/plugin-model-cassette'),
  'model-cost': () => import('@amodal/plugin-model-cost'),
  'model-demo': () => import('@amodal/plugin-model-demo'),
  'model-failover': () => import('@amodal/plugin-model-failover'),
  'model-google': () => import('@amodal/plugin-model-google'),
  'model-openai': () => import('@amodal/plugin-model-openai'),
  'model-openai-compatible': () => import('@amodal/plugin-model-openai-compatible'),
  outbound: () => import('@amodal/plugin-outbound'),
  'plan-mode': () => import('@amodal/plugin-plan-mode'),
  'plugin-manager': () => import('@amodal/plugin-plugin-manager'),
  prompt: () => import('@amodal/plugin-prompt'),
  'repo-files': () => import('@amodal/plugin-repo-files'),
  'repo-watch': () => import('@amodal/plugin-repo-watch'),
  roles: () => import('@amodal/plugin-roles'),
  'secrets-env': () => import('@amodal/plugin-secrets-env'),
  sessions: () => import('@amodal/plugin-sessions'),
  'sessions-memory': () => import('@amodal/plugin-sessions-memory'),
  skills: () => import('@amodal/plugin-skills'),
  stores: () => import('@amodal/plugin-stores'),
  'stores-database': () => import('@amodal/plugin-stores-database'),
  'stores-memory': () => import('@amodal/plugin-stores-memory'),
  studio: () => import('@amodal/plugin-studio'),
  subagents: () => import('@amodal/plugin-subagents'),
  tenant: () => import('@amodal/plugin-tenant'),
  'tools-custom': () => import('@amodal/plugin-tools-custom'),
  'tools-present': () => import('@amodal/plugin-tools-present'),
  'tools-web': () => import('@amodal/plugin-tools-web'),
}

/** Who fills a slot, for the fix in "nothing provides X". */
export const PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  database: ['db-pglite', 'db-postgres'],
  'tenant-database': ['db-pglite', 'db-postgres'],
  'session-store': ['sessions', 'sessions-memory'],
  'store-backend': ['stores-database', 'stores-memory'],
  'bundle-source': ['repo-files'],
  'prompt-compiler': ['prompt'],
  secrets: ['secrets-env'],
  sealer: ['secrets-env'],
  outbound: ['outbound'],
  'scope-secrets': ['connections'],
  dispatcher: ['subagents'],
  log: ['log-json'],
  'http-app': ['http'],
  agent: ['loop'],
  compactor: ['compaction'],
  'memory-store': ['memory'],
  authenticator: ['auth'],
  'api-keys': ['auth'],
  'local-token': ['auth'],
  tenancy: ['tenant'],
  'request-limiter': ['limits'],
  budgets: ['limits'],
  scrubber: ['guard-fields'],
  handles: ['guard-fields'],
  outgoing: ['guard-output'],
  'approval-policy': ['confirmations'],
  'role-view': ['roles'],
  'audit-trail': ['audit'],
  pricing: ['model-cost'],
}

/** Builtin plugins that no preset lists, for those who name them in amodal.json. */
export const OPT_IN: readonly string[] = ['model-cassette']
