import { definePlugin } from '@amodal/sdk'
import { StarterOffers } from '@amodal/plugin-repo-files/tokens'
import { scriptRoute } from './script-route.ts'
import { STARTER } from './starter.ts'

/**
 * A chat with the agent for pages of others: `GET /widget.js` is the script that defines
 * `<amodal-chat>`.
 */
export const widget = definePlugin({
  name: 'widget',
  version: '0.1.0',
  setup({ add, hooks }) {
    const route = scriptRoute()
    hooks.http.routes.tap((table) => {
      table.mount('/widget.js', route, { open: true, exact: true })
    })
    add(StarterOffers, 'widget', STARTER)
  },
})

export default widget
