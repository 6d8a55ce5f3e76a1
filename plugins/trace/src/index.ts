import { SentModelCalls } from '@amodal/plugin-inspect/tokens'
import { Agent, Commands, definePlugin, OutputRedactor, SessionStore } from '@amodal/sdk'
import { traceCommand } from './command.ts'
import { createRoutes, ROUTE } from './routes.ts'
import { TraceRoutes } from './tokens.ts'

/**
 * Shows what a session did, step by step, from its journal: `GET /sessions/:id/trace`, and the
 * command `trace`.
 */
export const trace = definePlugin({
  name: 'trace',
  version: '0.1.0',
  requires: { agent: Agent, store: SessionStore },
  optional: { redactor: OutputRedactor, sent: SentModelCalls },
  provides: [TraceRoutes],
  setup({ add, deps, hooks, provide }) {
    const routes = createRoutes(deps)
    provide(TraceRoutes, () => ({ routes }))
    hooks.http.routes.tap((table) => table.mount(ROUTE, routes, { scope: 'sessions' }))
    add(Commands, 'trace', traceCommand)
  },
})

export default trace
