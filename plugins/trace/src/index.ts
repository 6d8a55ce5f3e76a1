import { Agent, Clock, Commands, definePlugin, OutputRedactor, SessionStore } from '@amodal/sdk'
import { traceCommand } from './command.ts'
import { createRoutes, ROUTE } from './routes.ts'
import { SentCalls } from './sent-calls.ts'
import { TraceRoutes } from './tokens.ts'

/**
 * Shows what a session did, step by step, from its journal: `GET /sessions/:id/trace`, and the
 * command `trace`.
 */
export const trace = definePlugin({
  name: 'trace',
  version: '0.1.0',
  requires: { agent: Agent, clock: Clock, store: SessionStore },
  optional: { redactor: OutputRedactor },
  provides: [TraceRoutes],
  setup({ add, deps, hooks, provide }) {
    const { agent, clock, redactor, store } = deps
    const sent = new SentCalls(() => clock.now())
    hooks.model.call.tap(
      (call, ctx) => {
        sent.note(call, ctx)
      },
      { stage: 'last' },
    )
    hooks.session.close.tap(({ tenant, session }, reason) => {
      if (reason === 'removed' || reason === 'expired') sent.forget(tenant, session)
    })
    const routes = createRoutes({ agent, store, redactor, sent })
    provide(TraceRoutes, () => ({ routes }))
    hooks.http.routes.tap((table) => table.mount(ROUTE, routes, { scope: 'sessions' }))
    add(Commands, 'trace', traceCommand)
  },
})

export default trace
