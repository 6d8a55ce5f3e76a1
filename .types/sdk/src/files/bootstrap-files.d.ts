/** Files in the root of an agent's folder that its model reads, in the order in which it does. */
export declare const BOOTSTRAP_FILES: readonly ['AGENTS.md', 'SOUL.md', 'USER.md', 'TOOLS.md', 'IDENTITY.md', 'MEMORY.md', 'HEARTBEAT.md', 'BOOTSTRAP.md'];
