import { createServer, type IncomingMessage } from 'node:http'
import { once } from 'node:events'

/** A small CRM that keeps everything in memory. It stands for the API of your product. */
export interface Crm {
  readonly url: string
  /** What was changed, oldest first. */
  readonly changes: readonly {
    readonly method: string
    readonly path: string
    readonly body: unknown
    readonly key: string | undefined
  }[]
  close(): Promise<void>
}

const CUSTOMERS = [
  {
    id: 'c1',
    type: 'Customer',
    name: 'Blue Harbor Coffee',
    email: 'orders@blueharbor.example',
    tax_id: '536-90-4399',
    credit_limit: 12_000,
    plan: 'gold',
  },
  {
    id: 'c2',
    type: 'Customer',
    name: 'North Pier Books',
    email: 'hello@northpier.example',
    tax_id: '219-09-9999',
    credit_limit: 800,
    plan: 'basic',
  },
]

/** Starts it on loopback. `token` is what its callers must show. */
export async function startCrm(token: string, port = 0): Promise<Crm> {
  const changes: Crm['changes'][number][] = []
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    )
  })
  const answer = async (
    request: IncomingMessage,
  ): Promise<{ readonly status: number; readonly body: unknown }> => {
    const { method = 'GET', headers } = request
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://crm')
    if (headers.authorization !== `Bearer ${token}`)
      return { status: 401, body: { error: 'who are you?' } }
    if (pathname === '/health') return { status: 200, body: { ok: true } }
    const [, , id, part] = pathname.split('/')
    const customer = CUSTOMERS.find((one) => one.id === id)
    if (method === 'GET' && pathname === '/customers') {
      const query = searchParams.get('query')?.toLowerCase() ?? ''
      return {
        status: 200,
        body: { data: CUSTOMERS.filter(({ name }) => name.toLowerCase().includes(query)) },
      }
    }
    if (!customer) return { status: 404, body: { error: 'no such customer' } }
    if (method === 'GET') return { status: 200, body: customer }
    let text = ''
    for await (const chunk of request) text += String(chunk)
    changes.push({
      method,
      path: pathname,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
      key: headers['idempotency-key'] as string | undefined,
    })
    return { status: 201, body: { id: `${part ?? 'change'}-${changes.length}`, status: 'done' } }
  }
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the CRM does not listen')
  return {
    url: `http://127.0.0.1:${address.port}`,
    changes,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}
