import { definePlugin, SessionStore } from '@amodal/sdk'
import { z } from 'zod'
import { MemorySessions } from './store.ts'

const DAY = 24 * 60 * 60 * 1_000

/**
 * The session journal in memory, for embedding and tests: nothing survives the process.
 *
 * @example
 * use(sessionsMemory, { maxSessions: 1_000 })
 */
export const sessionsMemory = definePlugin({
  name: 'sessions-memory',
  version: '0.1.0',
  provides: [SessionStore],
  config: z.strictObject({
    maxSessions: z
      .int()
      .min(1)
      .default(10_000)
      .describe(
        'sessions kept at most; beyond, the oldest expired one goes, then the oldest without a run',
      ),
    parkedTtlMs: z
      .int()
      .min(0)
      .default(7 * DAY)
      .describe('ms for which a session that waits for a person keeps its history at least'),
    keyTtlMs: z
      .int()
      .min(0)
      .default(DAY)
      .describe('ms for which the key of an answered message still counts as a repetition'),
  }),
  setup({ config, provide }) {
    provide(SessionStore, () => new MemorySessions(config))
  },
})

export default sessionsMemory
