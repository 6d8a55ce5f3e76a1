import { Agent, Clock, Commands, definePlugin, Inspector } from '@amodal/sdk'
import { createRoutes } from './app.ts'
import { doctorCommand } from './doctor.ts'
import { SentCalls } from './sent-calls.ts'

/**
 * Says how the agent fares (`/health`), what it is made of (`/inspect/*`, `/api/config`), and who
 * asks (`/api/me`).
 */
export const inspect = definePlugin({
  name: 'inspect',
  version: '0.1.0',
  requires: { agent: Agent, inspector: Inspector, clock: Clock },
  setup({ add, deps, generation, hooks }) {
    add(Commands, 'doctor', doctorCommand)
    const started = performance.now()
    const sent = new SentCalls(() => deps.clock.now())
    hooks.model.call.tap(
      (call, ctx) => {
        sent.note(call, ctx)
      },
      { stage: 'last' },
    )
    const routes = createRoutes({
      ...deps,
      sent,
      generation,
      uptimeMs: () => performance.now() - started,
    })
    hooks.http.routes.tap((table) => {
      table.mount('/health', routes, { open: true })
      table.mount('/inspect', routes)
      table.mount('/api/config', routes)
      // whoever has a credential may know whose it is
      table.mount('/api/me', routes, { open: true })
    })
  },
})

export default inspect
