import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

/** What an automation has come to. */
export interface Result {
  readonly automation: string
  readonly status: 'success' | 'failure'
  readonly message?: string
}

export interface Receiver {
  readonly url: string
  /** In the order in which they came; each once, however often it was sent. */
  readonly results: readonly Result[]
  close(): Promise<void>
}

/**
 * Takes results of automations, and nothing that is not signed with the secret.
 *
 * @param secret `whsec_` and base64, as Standard Webhooks has it
 * @param received told of each result
 */
export async function startReceiver(
  secret: string,
  received: (result: Result) => void = () => undefined,
  port = 0,
): Promise<Receiver> {
  const results: Result[] = []
  const known = new Set<string>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const id = String(request.headers['webhook-id'])
      const at = String(request.headers['webhook-timestamp'])
      const isOurs = isSigned(secret, `${id}.${at}.${body}`, request.headers['webhook-signature'])
      if (isOurs && !known.has(id)) {
        known.add(id)
        const result = JSON.parse(body) as Result // signed, so it is from our server
        results.push(result)
        received(result)
      }
      response.writeHead(isOurs ? 204 : 401).end()
    })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : port}`,
    results,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function isSigned(secret: string, text: string, given: string | string[] | undefined): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const wanted = Buffer.from(`v1,${createHmac('sha256', key).update(text).digest('base64')}`)
  const signature = Buffer.from(String(given))
  return signature.length === wanted.length && timingSafeEqual(signature, wanted)
}
