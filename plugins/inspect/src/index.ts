import { Agent, definePlugin, Inspector } from '@amodal/sdk'
import { createRoutes } from './app.ts'

/** Says how the agent fares (`/health`) and what it is made of (`/inspect/*`). */
export const inspect = definePlugin({
  name: 'inspect',
  version: '0.1.0',
  requires: { agent: Agent, inspector: Inspector },
  setup({ deps, generation, hooks }) {
    const started = performance.now()
    const routes = createRoutes({ ...deps, generation, uptimeMs: () => performance.now() - started })
    hooks.http.routes.tap((table) => {
      table.mount('/health', routes, { open: true })
      table.mount('/inspect', routes)
    })
  },
})

export default inspect
