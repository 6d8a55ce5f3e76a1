import { once } from 'node:events'
import { createServer, request as httpRequest, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { unwrap as unwrapOr, type Failure, type Result } from '@amodal/sdk'
import { afterEach, expect, test } from 'vitest'
import type { Resolve } from '../src/address-refused.ts'
import { PARTNER_CERTIFICATE, PARTNER_KEY } from './partner-certificate.ts'
import { outboundTo, startTarget } from './support.ts'

const unwrap = <T>(result: Result<T, Failure>): T => unwrapOr(result, ({ message }) => message)

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

interface TestProxy {
  readonly url: URL
  /** What it was asked for. */
  readonly requests: string[]
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** A proxy that leads every name to one port of this machine, as its own DNS would. */
async function startProxy(target: number, credentials?: string): Promise<TestProxy> {
  const requests: string[] = []
  const isKnown = (header: string | undefined): boolean =>
    credentials === undefined || header === `Basic ${Buffer.from(credentials).toString('base64')}`
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (!isKnown(request.headers['proxy-authorization'])) {
      response.writeHead(407).end()
      return
    }
    const { pathname } = new URL(request.url ?? '')
    const onward = httpRequest(
      { host: '127.0.0.1', port: target, path: pathname, method: request.method ?? 'GET' },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      },
    )
    request.pipe(onward)
  })
  server.on('connect', (request, socket: Socket) => {
    requests.push(`CONNECT ${request.url}`)
    if (!isKnown(request.headers['proxy-authorization'])) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    const onward = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket)
      socket.pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  const port = await listening(server)
  return { url: new URL(`http://127.0.0.1:${port}`), requests }
}

async function startTlsTarget(): Promise<{ readonly port: number; readonly ca: string }> {
  const server = createTlsServer(
    { cert: PARTNER_CERTIFICATE, key: PARTNER_KEY },
    (_request, response) => response.end('secure'),
  )
  return { port: await listening(server), ca: PARTNER_CERTIFICATE }
}

/** No name is known on this machine. */
const noNames: Resolve = (_host, _options, done) =>
  done(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), [])
const names =
  (address: string): Resolve =>
  (_host, _options, done) =>
    done(null, [{ address, family: 4 }])

test('a request to https goes through a tunnel, to a name that this machine does not know', async () => {
  const { port, ca } = await startTlsTarget()
  const proxy = await startProxy(port)
  const out = outboundTo(
    [],
    {},
    { resolve: noNames, proxyFor: () => proxy.url, certificates: async () => [ca] },
  )
  const response = unwrap(
    await out.request({ url: 'https://api.partner.example/x', method: 'GET', lease: undefined }),
  )
  expect([response.status, response.text()]).toEqual([200, 'secure'])
  expect(proxy.requests).toEqual(['CONNECT api.partner.example:443'])
})

test('a request to http is passed to the proxy as it is, with its body, several at once', async () => {
  const target = await startTarget((request, response) => response.end(`for ${request.url}`))
  closing.push(() => target.close())
  const proxy = await startProxy(Number(new URL(target.url).port))
  const out = outboundTo([], {}, { resolve: noNames, proxyFor: () => proxy.url })
  const responses = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      out.request({
        url: `http://api.partner.example/${name}`,
        method: 'POST',
        body: name,
        lease: undefined,
      }),
    ),
  )
  expect(responses.map((one) => unwrap(one).text())).toEqual(['for /a', 'for /b', 'for /c'])
  expect(target.seen.map(({ body }) => body).toSorted()).toEqual(['a', 'b', 'c'])
  expect(proxy.requests).toContain('POST http://api.partner.example/a')
})

test('credentials of the proxy are sent to it, and their lack is an error that says so', async () => {
  const { port, ca } = await startTlsTarget()
  const proxy = await startProxy(port, 'ann:s%cret')
  const known = new URL(proxy.url)
  known.username = 'ann'
  known.password = encodeURIComponent('s%cret')
  const request = { url: 'https://api.partner.example/', method: 'GET', lease: undefined } as const
  const options = { resolve: noNames, certificates: async () => [ca] }
  const allowed = outboundTo([], {}, { ...options, proxyFor: () => known })
  expect(unwrap(await allowed.request(request)).status).toBe(200)
  for (const url of [request.url, 'http://api.partner.example/']) {
    const refused = outboundTo([], {}, { ...options, proxyFor: () => proxy.url })
    expect(await refused.request({ ...request, url })).toMatchObject({
      ok: false,
      error: {
        code: 'OUTBOUND_FAILED',
        message: expect.stringContaining('the proxy wants to know who asks (407)'),
        details: { sent: false },
      },
    })
  }
})

test.each([
  ['https://169.254.169.254/latest', noNames],
  ['http://10.0.0.1/', noNames],
  ['http://metadata.example/', names('169.254.169.254')],
  ['http://wiki.example/', names('10.1.2.3')],
  ['http://metadata.google.internal/', noNames],
  ['http://wiki/', noNames],
])('%s is refused before the proxy hears of it', async (url, resolve) => {
  const proxy = await startProxy(1)
  const out = outboundTo([], {}, { resolve, proxyFor: () => proxy.url })
  expect(await out.request({ url, method: 'GET', lease: undefined })).toMatchObject({
    ok: false,
    error: { code: 'OUTBOUND_REFUSED', details: { sent: false } },
  })
  expect(proxy.requests).toEqual([])
})

test('a setting of the request counts before the environment: another proxy, or none', async () => {
  const target = await startTarget((_request, response) => response.end('here'))
  closing.push(() => target.close())
  const port = Number(new URL(target.url).port)
  const [common, own] = await Promise.all([startProxy(port), startProxy(port)])
  const out = outboundTo([target.url], {}, { resolve: noNames, proxyFor: () => common.url })
  const get = (url: string, proxy?: string | false) =>
    out.request({ url, method: 'GET', lease: undefined, ...(proxy !== undefined && { proxy }) })
  expect(unwrap(await get('http://api.partner.example/', own.url.href)).text()).toBe('here')
  expect(unwrap(await get(target.url, false)).text()).toBe('here')
  expect([common.requests.length, own.requests.length]).toEqual([0, 1])
  expect(await get('http://api.partner.example/', 'ftp://proxy')).toMatchObject({
    error: { code: 'OUTBOUND_REFUSED' },
  })
})

test('a proxy that is not there is an error that names it', async () => {
  const out = outboundTo(
    [],
    {},
    { resolve: noNames, proxyFor: () => new URL('http://127.0.0.1:1') },
  )
  expect(
    await out.request({ url: 'https://api.partner.example/', method: 'GET', lease: undefined }),
  ).toMatchObject({
    error: {
      code: 'OUTBOUND_FAILED',
      message: expect.stringContaining('(by the proxy 127.0.0.1:1)'),
      details: { sent: false },
    },
  })
})
