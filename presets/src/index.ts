// Presets, the wiring of agent folders, and createAgent.
export { definePreset, type Preset } from './define-preset.ts'
export { OPT_IN, PLUGINS, PRESETS, PROVIDERS } from './builtin.ts'
export { embedded } from './embedded.ts'
export { guards } from './guards.ts'
export { createAgent, type EmbeddedAgent } from './embed/create-agent.ts'
export type { AgentConfig } from './embed/agent-config.ts'
export type { User } from './embed/user.ts'
export { AmodalError } from './embed/amodal-error.ts'
export {
  createFailoverProvider,
  type FailoverLink,
  type FailoverOptions,
  type FailoverProvider,
} from './embed/failover.ts'
export { createPostgresStoreBackend, type PgPool } from './embed/given-services.ts'
export { loadRepo, type LoadRepoOptions } from './embed/load-repo.ts'
export type { AgentSession, QuestionEvent, StreamOptions } from './embed/session.ts'
export type {
  AutomationResult,
  AutomationResultHandler,
  AutomationResultHandlers,
} from './embed/automation-results.ts'
export type { StreamHooks, TurnFacts } from './embed/stream-hooks.ts'
export { startFolder, readFolder } from './config/start.ts'
export type { Folder, FolderOptions, FolderError } from './config/folder.ts'
export { explainStart } from './config/explain.ts'
