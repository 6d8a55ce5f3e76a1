import { join } from 'node:path'
import { definePlugin } from '@amodal/sdk'
import { createRoutes } from './app.ts'
import { Page } from './page.ts'
import { StudioViews } from './tokens.ts'
import { createViews } from './views.ts'

/**
 * Shows the agent in a browser, at `/`. The page has no data of its own: it asks the routes that
 * every client asks, and those of the plugins that add views.
 */
export const studio = definePlugin({
  name: 'studio',
  version: '0.1.0',
  optional: { views: StudioViews },
  setup({ hooks, generation }) {
    const routes = createRoutes(new Page(join(import.meta.dirname, '../built')))
    hooks.http.routes.tap((table) => {
      table.mount('/', routes, { open: true, exact: true })
      table.mount('/studio', routes, { open: true })
      table.mount(
        '/api/studio/views',
        createViews(() => generation().registry(StudioViews)),
        { exact: true, scope: 'sessions' },
      )
    })
  },
})

export default studio
