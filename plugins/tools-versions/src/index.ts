import { join, resolve } from 'node:path'
import {
  Clock,
  Commands,
  Database,
  definePlugin,
  Erasers,
  failure,
  Migrations,
  Sealer,
  systemClock,
  type Failure,
  type RouteHandler,
} from '@amodal/sdk'
import { PeriodicTask } from '@amodal/sdk/database'
import { failed } from '@amodal/plugin-http/tokens'
import { StudioViews } from '@amodal/plugin-studio/tokens'
import { ToolRepos } from '@amodal/plugin-tool-repos/tokens'
import { CodeSandbox } from '@amodal/plugin-tools-custom/tokens'
import { tapConversations, tapOrgToolEntries } from './conversation/tap-conversations.ts'
import { toolVersionErrors } from './errors.ts'
import { Publisher } from './publish/publisher.ts'
import { STUDIO_VIEW, studioRoute } from './routes/studio-view.ts'
import { PREFIX, toolRoutes } from './routes/tool-routes.ts'
import { CodeFolders } from './running/code-folders.ts'
import { ToolRunner } from './running/tool-runner.ts'
import { installCommand, newCommand } from './scaffold/commands.ts'
import { Settings } from './settings.ts'
import { cleanUp } from './storage/clean-up.ts'
import { eraser } from './storage/eraser.ts'
import { MIGRATIONS } from './storage/migrations.ts'
import { Operations } from './storage/operations.ts'
import { ToolService } from './tool-service.ts'

const MOST_BODY = 2_000_000

const WITHOUT_DATABASE: RouteHandler = {
  fetch: () =>
    failed(failure('DATABASE_UNAVAILABLE', 'versioned tools need a database, and there is none')),
}

/**
 * Versioned tools of an organization: published from git, immutable, invoked over HTTP, with a
 * history that can be searched.
 *
 * @example
 * use(toolsVersions, { retentionDays: 30 })
 */
export const toolsVersions = definePlugin({
  name: 'tools-versions',
  version: '0.1.0',
  reaches: { files: ['.', '.amodal/tool-versions'] },
  requires: { sealer: Sealer, code: CodeSandbox },
  // not there where somebody only looks at the agent, without its data
  optional: { database: Database, repos: ToolRepos, clock: Clock },
  config: Settings,
  errors: toolVersionErrors,
  setup({ config, deps, add, hooks, generation, log, onBoot, onDispose }) {
    const { database, sealer, code, repos, clock = systemClock } = deps
    tapOrgToolEntries(hooks)
    add(Commands, 'tool-scaffold install', installCommand)
    add(Commands, 'tool-scaffold new', newCommand)
    if (!database) {
      hooks.http.routes.tap((table) => table.mount(PREFIX, WITHOUT_DATABASE, { scope: 'tools' }))
      return
    }
    const { timeoutMs, publishMs, leaseMs, cleanSeconds } = config
    const life = new AbortController()
    const folders = new CodeFolders(
      resolve(config.folder ?? join(config.dir, '.amodal', 'tool-versions')),
    )
    const runner = new ToolRunner({ code, clock, log, timeoutMs })
    const operations = new Operations(leaseMs)
    const publisher = new Publisher({
      repos,
      code,
      folders,
      runner,
      operations,
      publishMs,
      life: life.signal,
    })
    const parts = { database, sealer, operations, publisher, runner, folders }
    const service = new ToolService(parts)
    const routes = toolRoutes(service)
    const studio = studioRoute(service)

    tapConversations(hooks, generation, {
      database,
      sealer,
      clock,
      folders,
      log,
      runner,
      timeoutMs,
    })
    add(Migrations, 'tools-versions', MIGRATIONS)
    add(Erasers, 'tools-versions', eraser)
    hooks.http.routes.tap((table) => {
      table.mount(PREFIX, routes, { scope: 'tools', maxBody: MOST_BODY })
      table.mount(STUDIO_VIEW.route, studio, { exact: true, scope: 'tools' })
    })
    add(StudioViews, 'tools', STUDIO_VIEW)
    const warn = ({ message }: Failure): void => log.warn('tools_versions.clean_up', { message })
    const task = new PeriodicTask(
      cleanSeconds * 1_000,
      cleanUp({ ...config, database, folders, clock, warn }),
    )
    onDispose(() => life.abort(new Error('the server stops')))
    onBoot(() => {
      task.start()
      return () => task.stop()
    })
  },
})

export default toolsVersions
