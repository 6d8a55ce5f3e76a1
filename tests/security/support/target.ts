import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'

export interface TargetRequest { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }
/** `body` is sent as it stands where it is a text, as JSON otherwise. */
export interface TargetAnswer { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }

export interface Target extends AsyncDisposable {
  readonly url: string
  /** Every request there was, oldest first. */
  readonly requests: readonly TargetRequest[]
}

/** An API on loopback that an agent is connected to. It remembers everything it was sent. */
export async function startTarget(answer: (request: TargetRequest) => TargetAnswer): Promise<Target> {
  const requests: TargetRequest[] = []
  const server = createServer((incoming, outgoing) => {
    let body = ''
    incoming.setEncoding('utf8').on('data', (text: string) => { body += text }).on('end', () => {
      const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body }
      requests.push(request)
      const { status = 200, headers = {}, body: sent = {} } = answer(request)
      const text = typeof sent === 'string' ? sent : JSON.stringify(sent)
      outgoing.writeHead(status, { 'content-type': typeof sent === 'string' ? 'text/plain' : 'application/json', ...headers }).end(text)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the target does not listen')
  return {
    url: `http://127.0.0.1:${address.port}`, requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => { server.close(resolve) })
    },
  }
}
