import { join, resolve } from 'node:path'
import {
  BundleSource,
  Commands,
  Database,
  definePlugin,
  Erasers,
  Health,
  Migrations,
} from '@amodal/sdk'
import { SessionBundles } from '@amodal/sdk/loop'
import { FolderCheck } from '@amodal/plugin-repo-files/tokens'
import { z } from 'zod'
import { buildCommand } from './commands/build.ts'
import { serveCommand } from './commands/serve.ts'
import { serverCommands } from './commands/server-commands.ts'
import { upgradeCommand } from './commands/upgrade.ts'
import { deployErrors } from './errors.ts'
import { deploymentServer, NO_DEPLOYMENTS, NO_SESSIONS_HELD } from './server/deployment-server.ts'
import { eraser } from './server/eraser.ts'
import { MIGRATIONS } from './migrations.ts'
import { PREFIX } from './server/routes.ts'
import { MAX_PACKED } from './snapshot/archive.ts'
import { Deployments } from './tokens.ts'

/**
 * Snapshots of an agent: builds one in one file, serves it, and has running servers use one after
 * another, while each session goes on with the one it began with.
 */
export const deploy = definePlugin({
  name: 'deploy',
  version: '0.1.0',
  reaches: { files: ['*'] },
  optional: { database: Database, folders: FolderCheck },
  provides: [SessionBundles, Deployments],
  decorates: [BundleSource],
  errors: deployErrors,
  config: z.strictObject({
    dir: z.string().default('.').describe('The folder in whose `.amodal` snapshots are unpacked'),
    folder: z.string().optional().describe('Where snapshots are unpacked, in place of `.amodal`'),
    keep: z
      .int()
      .min(2)
      .default(50)
      .describe(
        'Snapshots in the database, besides those in use; sessions of older ones go on with newer files',
      ),
    loaded: z.int().min(2).max(100).default(8).describe('Snapshots in memory at a time'),
    pollMs: z
      .int()
      .min(100)
      .default(10_000)
      .describe('ms between two looks at what was promoted, where the database does not say so'),
  }),
  setup({ config, deps, add, decorate, provide, hooks, onBoot, generation, log }) {
    const { database, folders } = deps
    const folder = resolve(config.folder ?? join(config.dir, '.amodal', 'deployments'))
    add(Commands, 'deploy build', buildCommand(generation))
    add(Commands, 'deploy serve', serveCommand(folder))
    add(Commands, 'deploy upgrade', upgradeCommand(folder))
    for (const [name, command] of Object.entries(serverCommands(generation)))
      add(Commands, `deploy ${name}`, command)
    const server =
      database &&
      folders &&
      deploymentServer({ ...config, database, folders, folder, generation, log })
    provide(SessionBundles, () => server?.bundles ?? NO_SESSIONS_HELD)
    provide(Deployments, () => ({ routes: server?.routes ?? NO_DEPLOYMENTS }))
    if (!server) return
    add(Migrations, 'deploy', MIGRATIONS)
    add(Erasers, 'deploy', eraser)
    add(Health, 'deploy', server.health)
    decorate(BundleSource, server.source)
    hooks.http.routes.tap((table) =>
      table.mount(PREFIX, server.routes, { scope: 'admin', maxBody: MAX_PACKED }),
    )
    onBoot(() => {
      server.follower.start()
      return () => server.follower.close()
    })
  },
})

export default deploy
