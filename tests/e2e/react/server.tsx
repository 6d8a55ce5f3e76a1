import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import { ServerApp, type ServerAppProps } from './server-app.tsx'

export const rendered = (props: ServerAppProps): string => renderToString(<ServerApp {...props} />)

/** What a server streams, with what Suspense has waited for. */
export function streamed(props: ServerAppProps): Promise<string> {
  const out = new PassThrough()
  const { pipe } = renderToPipeableStream(<ServerApp {...props} />, {
    onAllReady: () => pipe(out),
    onError(cause) {
      out.destroy(cause instanceof Error ? cause : new Error(String(cause)))
    },
  })
  return text(out)
}
