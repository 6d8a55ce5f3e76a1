import {
  Agent,
  Clock,
  Commands,
  Database,
  definePlugin,
  Erasers,
  Migrations,
  SessionStore,
} from '@amodal/sdk'
import { Notices } from '@amodal/plugin-notify/tokens'
import { SessionRelations } from '@amodal/plugin-sessions/tokens'
import { usageCommand } from './command.ts'
import { Counting } from './counting.ts'
import { eraserOf } from './eraser.ts'
import { MIGRATIONS } from './migrations.ts'
import { reportOfAll, usageRoutes, type RouteParts } from './routes.ts'
import { budgetsOf, readSettings } from './settings.ts'
import { Usage } from './tokens.ts'

/**
 * What runs cost: a row for each run that has ended, with its tokens, cost, times and errors by
 * model and tool; sums of them over HTTP and on the command line.
 */
export const usage = definePlugin({
  name: 'usage',
  version: '0.1.0',
  requires: { agent: Agent, clock: Clock, sessions: SessionStore },
  optional: { database: Database, notices: Notices, relations: SessionRelations },
  provides: [Usage],
  setup({ add, deps, hooks, log, onBoot, provide }) {
    const { agent, clock, database, notices, relations, sessions } = deps
    const counting = new Counting({ agent, clock, database, log, notices, relations, sessions })
    if (database) {
      add(Migrations, 'usage', MIGRATIONS)
      add(Erasers, 'usage', eraserOf(counting))
    }
    counting.tap(hooks)
    hooks.bundle.load.tap(readSettings)
    const parts: RouteParts = {
      store: counting.store,
      clock,
      flush: () => counting.recorder.flush(),
      alerts: counting.alerts,
      budgets: () => budgetsOf(agent.bundle()),
    }
    const routes = usageRoutes(parts)
    provide(Usage, () => ({
      routes,
      ofAllTenants: (parameters, signal) => reportOfAll(parts, parameters, signal),
      add: (runs, signal) => counting.store.add(runs, signal),
      sweep: () => counting.sweep(),
    }))
    hooks.http.routes.tap((table) => table.mount('/api/usage', routes, { scope: 'usage' }))
    add(Commands, 'ops usage', usageCommand)
    hooks.kernel.drain.tap(() => counting.recorder.flush())
    hooks.bundle.used.tap(() => counting.start())
    onBoot(() => () => counting.close())
  },
})

export default usage
