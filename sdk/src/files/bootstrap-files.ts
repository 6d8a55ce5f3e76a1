/** Files in the root of an agent's folder that its model reads, in the order in which it does. */
export const BOOTSTRAP_FILES = [
  'AGENTS.md',
  'SOUL.md',
  'USER.md',
  'TOOLS.md',
  'IDENTITY.md',
  'MEMORY.md',
  'HEARTBEAT.md',
  'BOOTSTRAP.md',
] as const
