import { resolve } from 'node:path'
import {
  Clock,
  Database,
  definePlugin,
  Erasers,
  messageOf,
  Migrations,
  Outbound,
  SessionStore,
  systemClock,
  timeLimit,
  type SessionRef,
} from '@amodal/sdk'
import { AssetStore } from '@amodal/sdk/loop'
import { tenantDatabase, PeriodicTask } from '@amodal/sdk/database'
import { Inventories } from '@amodal/sdk/inspection'
import { createCleanUp } from './clean-up.ts'
import { DatabaseRecords } from './database-records.ts'
import { eraser } from './eraser.ts'
import { FolderBytes } from './folder-bytes.ts'
import {
  AssetDamaged,
  AssetNotFetched,
  AssetsFull,
  AssetStorageFailed,
  AssetTooLarge,
  AssetTypeRefused,
} from './errors.ts'
import { limitsInventory } from './inventory.ts'
import { StoredAssets } from './stored-assets.ts'
import { MemoryRecords } from './memory-records.ts'
import { MIGRATIONS } from './migrations.ts'
import { createRoutes, ROUTE } from './routes.ts'
import { AssetSettings } from './settings.ts'
import { AssetBytes } from './tokens.ts'

const HOUR_MS = 3_600_000
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
  reaches: { hosts: ['*'], files: ['.amodal/assets'] },
  optional: {
    database: Database,
    bytes: AssetBytes,
    sessions: SessionStore,
    clock: Clock,
    outbound: Outbound,
  },
  provides: [AssetStore],
  errors: [
    AssetTooLarge,
    AssetsFull,
    AssetTypeRefused,
    AssetNotFetched,
    AssetStorageFailed,
    AssetDamaged,
  ],
  config: AssetSettings,
  setup({
    config,
    deps: { database, bytes, sessions, clock = systemClock, outbound },
    provide,
    add,
    hooks,
    log,
    onBoot,
    onDispose,
  }) {
    const folder =
      config.folder === undefined || bytes
        ? undefined
        : new FolderBytes(resolve(config.dir ?? '.', config.folder))
    const outside = database && (bytes ?? folder)
    const memory = new MemoryRecords(config.maxTenantBytes, () => clock.now())
    const recordsOf = (tenant: SessionRef['tenant']) =>
      database
        ? new DatabaseRecords({
            tenant,
            database: tenantDatabase(database, tenant),
            maxBytes: config.maxTenantBytes,
            outside,
          })
        : memory.of(tenant)
    const store: AssetStore = { of: (tenant) => new StoredAssets(recordsOf(tenant), config, clock) }
    provide(AssetStore, () => store)
    add(Migrations, 'assets', MIGRATIONS)
    if (database) add(Erasers, 'assets', eraser)
    add(
      Inventories,
      'assets',
      limitsInventory(config, outside?.place ?? (database ? 'the database' : 'memory')),
    )
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

    const retention = {
      unusedMs: config.keepUnusedHours * HOUR_MS,
      maxMs: config.keepDays === undefined ? null : config.keepDays * 24 * HOUR_MS,
    }
    const clean = createCleanUp({
      database,
      outside,
      sessions,
      memory,
      clock,
      forget,
      warn,
      retention,
    })
    const cleanUp = new PeriodicTask(config.cleanSeconds * 1_000, clean)
    onDispose(() => memory.clear())
    onBoot(() => {
      if (config.folder !== undefined && !database)
        log.warn('assets.folder_unused', {
          message: 'there is no database, so files are in memory, and `folder` is not used',
        })
      // In the background: a start does not wait for it.
      void folder?.removeDrafts().catch((cause: unknown) => {
        log.warn('assets.drafts', { message: messageOf(cause) })
      })
      cleanUp.start()
      return () => cleanUp.stop()
    })
  },
})

export default assets
