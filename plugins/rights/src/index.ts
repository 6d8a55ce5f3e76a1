import { Agent, definePlugin } from '@amodal/sdk'
import { createRoutes } from './routes.ts'

/**
 * Says what each role may do: `GET /inspect/rights`. The guards' own code judges, so the answer is
 * what a call will meet.
 */
export const rights = definePlugin({
  name: 'rights',
  version: '0.1.0',
  requires: { agent: Agent },
  setup({ deps, generation, hooks }) {
    hooks.http.routes.tap((table) => {
      table.mount(
        '/inspect/rights',
        createRoutes(() => deps.agent, generation),
        { exact: true },
      )
    })
  },
})

export default rights
