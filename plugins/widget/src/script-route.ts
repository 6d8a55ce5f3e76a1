import type { RouteHandler } from '@amodal/sdk'
import {
  type StaticFile,
  describeRoutes,
  staticFile,
  staticRoute,
} from '@amodal/plugin-http/tokens'
import { widgetScript } from '@amodal/widget/server'

/** A browser uses the script for five minutes without asking; every page may load it. */
const HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=300',
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
}

/** `GET /widget.js`: it has no data, so it needs no credential. */
export function scriptRoute(): RouteHandler {
  let script: StaticFile | undefined
  return describeRoutes(
    staticRoute(async () => {
      script ??= await staticFile(await widgetScript(), HEADERS)
      return script
    }),
    {
      'GET /widget.js': {
        summary: 'the script of the widget, for pages of every origin',
        responses: {
          200: { about: 'The script.', types: ['text/javascript'] },
          304: { about: 'It has not changed.' },
        },
      },
    },
  )
}
