import type { Preset } from './define-preset.ts'

type Load<T> = () => Promise<{ readonly default: T }>

/** Presets by name, loaded when they are chosen. */
export const PRESETS: Readonly<Record<string, Load<Preset>>> = {
  embedded: () => import('./embedded.ts'),
  dev: () => import('./dev.ts'),
  production: () => import('./production.ts'),
}

/** Plugins that `plugins` in amodal.json may name without a path or package; a test compares it with the folders. */
export const PLUGINS: Readonly<Record<string, Load<unknown>>> = {
  chat: () => import('@amodal/plugin-chat'),
  confirmations: () => import('@amodal/plugin-confirmations'),
  'db-pglite': () => import('@amodal/plugin-db-pglite'),
  'db-postgres': () => import('@amodal/plugin-db-postgres'),
  http: () => import('@amodal/plugin-http'),
  inspect: () => import('@amodal/plugin-inspect'),
  knowledge: () => import('@amodal/plugin-knowledge'),
  'log-json': () => import('@amodal/plugin-log-json'),
  loop: () => import('@amodal/plugin-loop'),
  'model-demo': () => import('@amodal/plugin-model-demo'),
  'model-openai-compatible': () => import('@amodal/plugin-model-openai-compatible'),
  outbound: () => import('@amodal/plugin-outbound'),
  'plan-mode': () => import('@amodal/plugin-plan-mode'),
  prompt: () => import('@amodal/plugin-prompt'),
  'repo-files': () => import('@amodal/plugin-repo-files'),
  'secrets-env': () => import('@amodal/plugin-secrets-env'),
  sessions: () => import('@amodal/plugin-sessions'),
  'sessions-memory': () => import('@amodal/plugin-sessions-memory'),
  skills: () => import('@amodal/plugin-skills'),
  stores: () => import('@amodal/plugin-stores'),
  'stores-database': () => import('@amodal/plugin-stores-database'),
  'stores-memory': () => import('@amodal/plugin-stores-memory'),
  'tools-present': () => import('@amodal/plugin-tools-present'),
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
  log: ['log-json'],
  'http-app': ['http'],
  agent: ['loop'],
  'approval-policy': ['confirmations'],
}

/** Builtin plugins that no preset lists, for those who name them in amodal.json. */
export const OPT_IN: readonly string[] = []
