import {
  Agent,
  announce,
  AuditTrail,
  Clock,
  Commands,
  Database,
  definePlugin,
  Erasers,
  Migrations,
} from '@amodal/sdk'
import { RunFiles } from '@amodal/plugin-loop/tokens'
import { StudioViews } from '@amodal/plugin-studio/tokens'
import { z } from 'zod'
import { experimentCommand } from './command/experiment-command.ts'
import {
  ExperimentEnded,
  ExperimentGuarded,
  ExperimentInvalid,
  ExperimentNotFound,
  ExperimentNotPromotable,
} from './errors.ts'
import { tapObservations } from './online/observe.ts'
import { ExperimentFiles } from './online/run-files.ts'
import { readExperiments } from './read/read-experiments.ts'
import { ExperimentDecided } from './server/experiment-decided.ts'
import { experimentRoutes, PREFIX } from './server/routes.ts'
import { ExperimentService, type ServiceParts } from './server/service.ts'
import { STUDIO_VIEW, studioRoute } from './server/studio-view.ts'
import { databaseBooks } from './storage/database-book.ts'
import { Decisions } from './storage/decisions.ts'
import { eraser } from './storage/eraser.ts'
import { MemoryBooks } from './storage/memory-book.ts'
import { MIGRATIONS } from './storage/migrations.ts'
import { Experiments } from './tokens.ts'

/**
 * Tries variants of prompts, skills, knowledge and models on a share of the principals, and says
 * which of them is better: `experiments/` in the agent's files.
 */
export const experiments = definePlugin({
  name: 'experiments',
  version: '0.1.0',
  // A promotion writes into the agent folder; variants are applied to a copy of it.
  reaches: { files: ['.', '.amodal/changed'], processes: ['git'] },
  requires: { agent: Agent, clock: Clock },
  optional: { database: Database, trail: AuditTrail },
  provides: [Experiments],
  errors: [
    ExperimentEnded,
    ExperimentGuarded,
    ExperimentInvalid,
    ExperimentNotFound,
    ExperimentNotPromotable,
  ],
  events: [ExperimentDecided],
  config: z.object({
    writeFiles: z
      .boolean()
      .default(false)
      .describe(
        "A promotion over HTTP changes the agent's files; otherwise all new sessions get the variant, and the files stay as they are",
      ),
  }),
  setup({ config, deps, provide, add, hooks, generation, log, onBoot, onDispose }) {
    const { agent, clock, database, trail } = deps
    const memory = new MemoryBooks()
    const bookOf = database ? databaseBooks(database) : (tenant: string) => memory.of(tenant)
    const decisions = new Decisions(bookOf, database && { database, name: 'experiments', log })
    if (database) {
      add(Migrations, 'experiments', MIGRATIONS)
      add(Erasers, 'experiments', eraser)
    }
    onBoot(() => decisions.listen())
    onDispose(() => memory.clear())

    hooks.bundle.load.tap(readExperiments, { stage: 'last' })
    add(RunFiles, 'experiments', new ExperimentFiles({ decisions, log }))
    tapObservations(hooks, { bookOf, clock, decisions, log })

    const parts: ServiceParts = {
      agent,
      bookOf,
      clock,
      decisions,
      trail,
      announce: (tenant, facts) => announce(generation(), ExperimentDecided(facts), { tenant }),
    }
    const service = new ExperimentService(parts, config.writeFiles)
    const local = experimentRoutes(new ExperimentService(parts, true))
    provide(Experiments, () => ({ routes: local }))
    hooks.http.routes.tap((table) => {
      table.mount(PREFIX, experimentRoutes(service), { scope: 'experiments' })
      table.mount(STUDIO_VIEW.route, studioRoute(service), { exact: true, scope: 'experiments' })
    })
    add(StudioViews, 'experiments', STUDIO_VIEW)
    add(Commands, 'ops experiment', experimentCommand)
  },
})

export default experiments
