import {
  Agent,
  Clock,
  Commands,
  Database,
  definePlugin,
  Erasers,
  JobQueue,
  Migrations,
} from '@amodal/sdk'
import { RunFiles } from '@amodal/plugin-loop/tokens'
import { FileSchemas, PartStarters, StarterOffers } from '@amodal/plugin-repo-files/tokens'
import { StudioViews } from '@amodal/plugin-studio/tokens'
import { evalCommand } from './command/eval-command.ts'
import { promoteCommand } from './command/promote-command.ts'
import { replayCommand } from './command/replay-command.ts'
import { WORKFLOW_NAME, workflowOffer } from './command/workflow.ts'
import { eraser } from './database/eraser.ts'
import { MIGRATIONS } from './database/migrations.ts'
import {
  ChangeInvalid,
  EvalInvalid,
  EvalNotPromotable,
  EvalsUnavailable,
  JudgeFailed,
} from './errors.ts'
import { Promoter } from './promote/promoter.ts'
import { readEvals } from './read/read-evals.ts'
import { Replays } from './replay/replay.ts'
import { replayFiles } from './replay/replay-files.ts'
import { baselineOf, runBranch } from './replay/run-branch.ts'
import { runReplay } from './replay/run-replay.ts'
import { tapReplays } from './replay/taps.ts'
import { toolOwners } from './replay/tool-owners.ts'
import { EvalRunner } from './run/eval-runner.ts'
import { TenantCleaner } from './run/tenant-cleaner.ts'
import { ReplayService } from './server/replay-service.ts'
import { evalRoutes, PREFIX } from './server/routes.ts'
import { RunJobs } from './server/run-jobs.ts'
import { RunService } from './server/run-service.ts'
import { RunStores } from './server/run-stores.ts'
import { RunWorker } from './server/run-worker.ts'
import { STUDIO_VIEW, studioRoute } from './server/studio-view.ts'
import { evalSchema } from './read/eval-schema.ts'
import { readSettings } from './settings.ts'
import { Evals } from './tokens.ts'
import { tapTrials } from './trial/taps.ts'
import { Trials } from './trial/trial.ts'
import { evalStarter } from './starter.ts'

/**
 * Runs the cases of `evals/` through the agent as it is, with stubs in place of its tools, and says
 * which of them pass: on the command line, and as jobs of a server.
 */
export const evals = definePlugin({
  name: 'evals',
  version: '0.1.0',
  reaches: { files: ['.amodal/changed'], processes: ['git'] },
  requires: { agent: Agent, clock: Clock },
  optional: { database: Database, queue: JobQueue },
  provides: [Evals],
  // One worker of a queue in a process: the old one stops before the new one begins.
  reload: 'exclusive',
  after: [
    // What those decide is known when the last guard here is asked.
    ...['roles', 'guard-access', 'guard-taint', 'plan-mode', 'confirmations', 'automations'],
    // A changed document of a replay stands before that of a variant.
    'experiments',
  ],
  errors: [ChangeInvalid, EvalInvalid, EvalNotPromotable, EvalsUnavailable, JudgeFailed],
  setup({ add, deps, generation, hooks, log, onBoot, provide }) {
    const { agent, clock, database, queue } = deps
    const trials = new Trials()
    hooks.bundle.load.tap(readSettings)
    hooks.bundle.load.tap(readEvals)
    tapTrials(hooks, trials)
    const runner = new EvalRunner({ agent, clock, generation, log, trials })
    const replays = new Replays()
    tapReplays(hooks, replays)
    add(RunFiles, 'evals', replayFiles(replays))
    const ownerOf = toolOwners(generation, agent)
    const jobs = queue && new RunJobs(queue)
    const stores = new RunStores({ agent, database, jobs })
    provide(Evals, () => ({
      runner,
      related: (files, owner) => stores.related(files, owner),
      replay: (recording, signal) => runReplay({ agent, replays }, recording, signal),
      baseline: (recording, signal) => baselineOf({ agent, replays }, recording, signal),
      branch: (request, signal) => runBranch({ agent, replays, ownerOf }, request, signal),
    }))
    add(Commands, 'eval', evalCommand)
    add(Commands, 'eval promote', promoteCommand)
    add(Commands, 'replay', replayCommand)
    add(StarterOffers, WORKFLOW_NAME, workflowOffer)
    add(PartStarters, 'eval', evalStarter)
    add(FileSchemas, 'eval', { files: ['evals/*.yaml', 'evals/*.yml'], schema: evalSchema })
    if (database) add(Migrations, 'evals', MIGRATIONS)
    if (database) add(Erasers, 'evals', eraser)

    const worker = new RunWorker({ runner, stores, log })
    const service = new RunService({
      agent,
      runner,
      stores,
      jobs,
      stop: (run) => worker.stop(run),
    })
    const replayService = new ReplayService({
      agent,
      replays,
      cleaner: new TenantCleaner({ agent, generation, log }),
      ownerOf,
    })
    const promoter = new Promoter({ agent, scope: () => generation().scope })
    const routes = evalRoutes({ agent, promoter, replays: replayService, service })
    const studio = studioRoute(service, agent, replayService)
    hooks.http.routes.tap((table) => {
      table.mount(PREFIX, routes, { scope: 'evals' })
      table.mount(STUDIO_VIEW.route, studio, { exact: true, scope: 'evals' })
    })
    add(StudioViews, 'evals', STUDIO_VIEW)
    hooks.kernel.drain.tap(() => worker.close())
    onBoot(() => {
      if (queue) worker.start(queue)
      return () => worker.close()
    })
  },
})

export default evals
