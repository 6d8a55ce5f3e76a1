import type { RouteHandler } from '@amodal/sdk'
import { staticFile, staticRoute, type StaticFile } from '@amodal/plugin-http/tokens'
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
  return staticRoute(async () => {
    script ??= await staticFile(await widgetScript(), HEADERS)
    return script
  })
}
