import { Agent, Clock, Commands, definePlugin, Inspector } from '@amodal/sdk'
import { InstallationChecks } from '@amodal/sdk/inspection'
import { createRoutes } from './app.ts'
import { doctorCommand } from './doctor.ts'
import { machineCheckups } from './machine.ts'
import { SentCalls } from './sent-calls.ts'
import { SentModelCalls } from './tokens.ts'

/**
 * Reports health (`/health`), composition (`/inspect/*`, `/api/config`) and the caller
 * (`/api/me`).
 */
export const inspect = definePlugin({
  name: 'inspect',
  version: '0.1.0',
  requires: { agent: Agent, inspector: Inspector, clock: Clock },
  provides: [SentModelCalls],
  setup({ add, deps, generation, hooks, provide }) {
    add(
      Commands,
      'doctor',
      doctorCommand(() => generation()),
    )
    add(InstallationChecks, 'machine', machineCheckups)
    const started = performance.now()
    const sent = new SentCalls(() => deps.clock.now())
    hooks.model.call.tap(
      (call, ctx) => {
        sent.note(call, ctx)
      },
      { stage: 'last' },
    )
    hooks.session.close.tap(({ tenant, session }, reason) => {
      if (reason === 'removed' || reason === 'expired') sent.forget(tenant, session)
    })
    provide(SentModelCalls, () => sent)
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
      // any valid credential may look up its own identity
      table.mount('/api/me', routes, { open: true })
    })
  },
})

export default inspect
