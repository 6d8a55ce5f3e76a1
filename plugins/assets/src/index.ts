import {
  Clock,
  Database,
  definePlugin,
  Erasers,
  Migrations,
  Outbound,
  SessionStore,
  systemClock,
  timeLimit,
  type SessionRef,
} from '@amodal/sdk'
import { AssetStore } from '@amodal/sdk/loop'
import { tenantDatabase } from '@amodal/sdk/database'
import { Inventories } from '@amodal/sdk/inspection'
import { createCleanUp } from './clean-up.ts'
import { DatabaseRecords } from './database-records.ts'
import { eraser } from './eraser.ts'
import {
  AssetDamaged,
  AssetNotFetched,
  AssetsFull,
  AssetTooLarge,
  AssetTypeRefused,
} from './errors.ts'
import { limitsInventory } from './inventory.ts'
import { StoredAssets } from './stored-assets.ts'
import { MemoryRecords } from './memory-records.ts'
import { MIGRATIONS } from './migrations.ts'
import { createRoutes, ROUTE } from './routes.ts'
import { PeriodicTask } from './periodic-task.ts'
import { AssetSettings } from './settings.ts'

/** ms for taking away what a session had. */
const FORGET_MS = 10_000
/** Bytes of a form beside its files. */
const FORM_BYTES = 65_536

/**
 * Files that people send with messages: each kept once under its SHA-256, in the database where
 * there is one, or else in memory; checked, given back, and removed when nobody needs them.
 */
export const assets = definePlugin({
  name: 'assets',
  version: '0.1.0',
  reaches: { hosts: ['*'] },
  optional: { database: Database, sessions: SessionStore, clock: Clock, outbound: Outbound },
  provides: [AssetStore],
  errors: [AssetTooLarge, AssetsFull, AssetTypeRefused, AssetNotFetched, AssetDamaged],
  config: AssetSettings,
  setup({
    config,
    deps: { database, sessions, clock = systemClock, outbound },
    provide,
    add,
    hooks,
    log,
    onBoot,
    onDispose,
  }) {
    const memory = new MemoryRecords(config.maxTenantBytes, () => clock.now())
    const recordsOf = (tenant: SessionRef['tenant']) =>
      database
        ? new DatabaseRecords(tenantDatabase(database, tenant), config.maxTenantBytes)
        : memory.of(tenant)
    const store: AssetStore = { of: (tenant) => new StoredAssets(recordsOf(tenant), config, clock) }
    provide(AssetStore, () => store)
    add(Migrations, 'assets', MIGRATIONS)
    if (database) add(Erasers, 'assets', eraser)
    add(Inventories, 'assets', limitsInventory(config, database ? 'the database' : 'memory'))
    hooks.http.routes.tap((table) =>
      table.mount(ROUTE, createRoutes(store, config, outbound), {
        maxBody: config.maxMessageBytes + FORM_BYTES,
        scope: 'chat',
      }),
    )

    const warn = (error: { readonly code: string; readonly message: string }): void =>
      log.warn('assets.cleaning_failed', { code: error.code, message: error.message })
    const forget = async ({ tenant, session }: SessionRef, signal?: AbortSignal): Promise<void> => {
      const limit = timeLimit(FORGET_MS, 'removing the files of a session', signal)
      const done = await recordsOf(tenant).forget(session, limit)
      if (!done.ok && signal?.aborted !== true) warn(done.error)
    }
    hooks.session.close.tap((session, reason) =>
      reason === 'removed' || reason === 'expired' ? forget(session) : undefined,
    )

    const keepMs = config.keepUnusedHours * 3_600_000
    const clean = createCleanUp({ database, sessions, memory, clock, forget, warn, keepMs })
    const cleanUp = new PeriodicTask(config.cleanSeconds * 1_000, clean)
    onDispose(() => memory.clear())
    onBoot(() => {
      cleanUp.start()
      return () => cleanUp.stop()
    })
  },
})

export default assets
