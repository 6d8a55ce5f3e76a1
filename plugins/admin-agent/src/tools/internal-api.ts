import { defineTool, LOCAL_IDENTITY, timeLimit, type Json, type ToolDefinition } from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'
import type { HttpApp } from '@amodal/plugin-http/tokens'
import { z } from 'zod'

const MOST_CHARS = 50_000
const PATIENCE = 30_000

/** Streams, which never end, and what is read by tools of its own. */
const REFUSED = /^\/(api\/secrets|api\/files|config|chat|ai|task|events|api\/events)(\/|$|\?)/

/** The tool that asks the running server, with GET alone. */
export const internalApiTool = (app: () => HttpApp | undefined): ToolDefinition =>
  defineTool({
    name: 'internal_api',
    description:
      'Asks the running server with GET: /inspect/context, /api/evals/runs, /api/stores/NAME, /health. Read-only.',
    readOnly: true,
    outputChars: MOST_CHARS + 1_000,
    runningLabel: 'Asking the server',
    completedLabel: 'Asked the server',
    input: z.object({
      endpoint: z.string().min(1).max(2_000).describe('A path with its query: /inspect/context'),
    }),
    execute: async ({ endpoint }, { signal }) => {
      const server = app()
      if (!server) return { status: 'error', message: 'this agent runs without a server' }
      const origin = 'http://127.0.0.1'
      const url = URL.canParse(endpoint, origin) ? new URL(endpoint, origin) : undefined
      if (!url || !/^\/[^/\\]/.test(endpoint) || url.origin !== origin)
        return { status: 'error', message: 'endpoint: a path of this server, such as /health' }
      if (REFUSED.test(decodeURI(url.pathname)))
        return { status: 'error', message: `${url.pathname} is not for this tool` }
      const limit = timeLimit(PATIENCE, `asking ${url.pathname}`, signal)
      const response = await server.fetch(new Request(url, { signal: limit }), {
        identity: LOCAL_IDENTITY,
      })
      if (/event-stream/.test(response.headers.get('content-type') ?? '')) {
        await response.body?.cancel()
        return { status: 'error', message: `${url.pathname} is a stream` }
      }
      const text = await response.text()
      const body: Json = ellipsis(text, MOST_CHARS)
      return { status: 'success', output: { status: response.status, body } }
    },
  })
