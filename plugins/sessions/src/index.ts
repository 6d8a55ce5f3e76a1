import { Database, definePlugin, Erasers, Migrations, SessionStore } from '@amodal/sdk'
import { InstallationChecks } from '@amodal/sdk/inspection'
import { z } from 'zod'
import { sessionsCheckup } from './checkup.ts'
import { eraser } from './eraser.ts'
import { MIGRATIONS } from './migrations.ts'
import { RELATIONS } from './relations.ts'
import { DatabaseSessions } from './store.ts'
import { SessionRelations } from './tokens.ts'

const DAY = 24 * 60 * 60 * 1_000

/**
 * The session journal in the database: sessions, entries and inboxes, committed in groups across
 * sessions.
 *
 * @example
 * use(sessions, { instances: 'single' })
 */
export const sessions = definePlugin({
  name: 'sessions',
  version: '0.1.0',
  requires: { database: Database },
  provides: [SessionStore, SessionRelations],
  config: z.strictObject({
    instances: z
      .enum(['auto', 'single', 'many'])
      .default('auto')
      .describe(
        'whether other instances are notified of changes; auto: unless only this process can reach the database',
      ),
    flights: z
      .int()
      .min(1)
      .max(16)
      .default(1)
      .describe('groups of commits, and of accepts, that are written at the same time'),
    timeoutMs: z.int().min(100).max(600_000).default(10_000).describe('timeout of one group, ms'),
    parkedTtlMs: z
      .int()
      .min(0)
      .default(7 * DAY)
      .describe('ms for which a session that waits for a person keeps its history at least'),
    keyTtlMs: z
      .int()
      .min(DAY)
      .default(DAY)
      .describe('ms for which the key of an answered message still counts as a repetition'),
  }),
  setup({ config, deps, provide, add, onDispose }) {
    const { instances, ...options } = config
    add(Migrations, 'sessions', MIGRATIONS)
    add(Erasers, 'sessions', eraser)
    add(InstallationChecks, 'sessions', sessionsCheckup)
    provide(SessionStore, () => {
      const store = new DatabaseSessions(deps.database, {
        ...options,
        notifyInstances: instances === 'auto' ? !deps.database.exclusive : instances === 'many',
      })
      onDispose(() => store.close())
      return store
    })
    provide(SessionRelations, () => RELATIONS)
  },
})

export default sessions
