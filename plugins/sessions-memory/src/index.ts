import { definePlugin, SessionStore } from '@amodal/sdk'
import { z } from 'zod'
import { MemorySessionStore } from './memory-store.ts'

/** Sessions in this process's memory: for embedding and tests. They are gone with the process. */
export const sessionsMemory = definePlugin({
  name: 'sessions-memory',
  version: '1.0.0',
  provides: [SessionStore],
  config: z.object({
    /** Past this many, idle sessions that were quiet the longest are dropped. */
    maxSessions: z.number().int().min(1).default(10_000),
  }),
  setup({ config, provide, onDispose }) {
    const store = new MemorySessionStore(config.maxSessions)
    onDispose(() => store.clear())
    provide(SessionStore, () => store)
  },
})

export default sessionsMemory
