import { join, resolve } from 'node:path'
import { Checkups, definePlugin, Erasers, Secrets } from '@amodal/sdk'
import { gitCheckup } from './checkup.ts'
import { GitToolRepos } from './content/git-tool-repos.ts'
import { eraser } from './eraser.ts'
import { toolRepoErrors } from './errors.ts'
import { Git } from './git/git.ts'
import { GitService } from './http/git-service.ts'
import { challenge, gitRoutes, PREFIX, SCOPE } from './http/routes.ts'
import { Repositories } from './repositories.ts'
import { settings } from './settings.ts'
import { Slots } from './slots.ts'
import { ToolRepos } from './tokens.ts'
import { Upkeep } from './upkeep.ts'

/** Bytes of a push before its objects. */
const HEAD_BYTES = 1_048_576

/** Git repositories for the tools of each tenant, reached with any git client over HTTP. */
export const toolRepos = definePlugin({
  name: 'tool-repos',
  version: '0.1.0',
  reaches: { secrets: ['PATH'], files: ['.amodal/tool-repos'], processes: ['git'] },
  requires: { secrets: Secrets },
  provides: [ToolRepos],
  errors: toolRepoErrors,
  config: settings,
  setup({ config, deps: { secrets }, provide, add, hooks, log, onDispose }) {
    const { processes: total, processesPerTenant: perKey, waitMs, timeoutMs } = config
    const folder = resolve(config.folder ?? join(config.dir, '.amodal', 'tool-repos'))
    const life = new AbortController()
    const git = new Git({
      ...config,
      path: () => secrets.get('PATH') ?? '/usr/local/bin:/usr/bin:/bin',
      maxFileBytes: 2 * config.maxRepoBytes,
      log,
    })
    const repositories = new Repositories(folder, git)
    const processes = new Slots({ total, perKey, waitMs })
    const service = new GitService({
      git,
      repositories,
      processes,
      pushes: new Slots({ total: Number.POSITIVE_INFINITY, perKey: 1, waitMs }),
      upkeep: new Upkeep({ git, packs: config.packs, timeoutMs, log }),
      limits: config,
      life: life.signal,
    })
    provide(ToolRepos, () => new GitToolRepos({ git, repositories, processes, limits: config }))
    add(
      Erasers,
      'tool-repos',
      eraser((tenant) => repositories.count(tenant)),
    )
    add(Checkups, 'tool-repos', () => gitCheckup(git, repositories))
    hooks.http.routes.tap((table) =>
      table.mount(PREFIX, gitRoutes(service), {
        scope: SCOPE,
        basic: true,
        challenge,
        maxBody: config.maxPackBytes + HEAD_BYTES,
      }),
    )
    onDispose(() => life.abort())
  },
})

export default toolRepos
