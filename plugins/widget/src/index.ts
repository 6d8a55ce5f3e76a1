import { definePlugin } from '@amodal/sdk'
import { StarterOffers } from '@amodal/plugin-repo-files/tokens'
import { z } from '@amodal/sdk/zod'
import { scriptRoute } from './script-route.ts'
import { PAGE, STARTER } from './starter.ts'
import { trialRoute } from './trial-route.ts'

/**
 * A chat with the agent for pages of others: `GET /widget.js` is the script that defines
 * `<amodal-chat>`.
 *
 * @example
 * use(widget, { page: true, dir: './my-agent' }) // as the preset `dev` does
 */
export const widget = definePlugin({
  name: 'widget',
  version: '0.1.0',
  reaches: { files: [PAGE] },
  config: z.strictObject({
    page: z
      .boolean()
      .default(false)
      .describe('serves `widget.html` of the agent folder, to try the widget on'),
    dir: z.string().optional().describe('the agent folder; the server sets it'),
  }),
  setup({ add, config, hooks }) {
    const script = scriptRoute()
    const trial = trialRoute(config.page ? config.dir : undefined)
    hooks.http.routes.tap((table) => {
      table.mount('/widget.js', script, { open: true, exact: true })
      table.mount('/widget.html', trial, { open: true, exact: true })
    })
    add(StarterOffers, 'widget', STARTER)
  },
})

export default widget
