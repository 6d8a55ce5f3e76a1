// Presets, the wiring of agent folders, createAgent and the command line.
export { definePreset, type Preset } from './define-preset.ts'
export { PRESETS, PLUGINS, PROVIDERS } from './builtin.ts'
export { embedded } from './embedded.ts'
export { createAgent, type AgentConfig, type AgentSession, type EmbeddedAgent } from './create-agent.ts'
export { startFolder, readFolder, type Folder, type FolderOptions, type FolderError } from './config/start.ts'
export { explainStart } from './config/explain.ts'
export { main, type Terminal } from './cli/main.ts'
