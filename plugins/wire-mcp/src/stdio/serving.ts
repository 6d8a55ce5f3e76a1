import type { CommandContext } from '@amodal/sdk'
import { LOCAL_CALLER } from '@amodal/sdk/loop'
import { serverCredential } from '@amodal/plugin-http/tokens'
import { McpEndpoint } from '../tokens.ts'

/** Serves until the client closes its end. */
export async function serving(context: CommandContext): Promise<number> {
  const { input, log, options, signal, start, write } = context
  const { scope, url } = options
  const lines = { input, write }
  if (typeof url === 'string') {
    if (URL.parse(url) === null) {
      context.fail(`--url: "${url}" is no address; it is one such as http://127.0.0.1:3847`)
      return 2
    }
    const { bridge } = await import('./bridge.ts')
    const remote = {
      url,
      credential: serverCredential(context, url),
      scope: typeof scope === 'string' ? scope : undefined,
    }
    await bridge(remote, lines, log, signal)
    return 0
  }
  const kernel = await start({ without: ['http'] })
  await kernel.scope.get(McpEndpoint).serve(lines, LOCAL_CALLER, signal)
  return 0
}
