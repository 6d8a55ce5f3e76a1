import { gzipSync } from 'node:zlib'
import type { Outbound, OutboundRequest } from '@amodal/sdk'
import { LEASE_MARGIN } from '@amodal/sdk/loop'
import { until } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_REDIRECTS } from '../src/redirect.ts'
import { leaseOf, outboundTo, startTarget, type Target } from './support.ts'

let outbound: Outbound
const get = (url: string, more: Partial<OutboundRequest> = {}): ReturnType<Outbound['request']> =>
  outbound.request({ lease: undefined, url, method: 'GET', privateOrigin: url, ...more })

let target: Target
let other: Target
beforeAll(async () => {
  other = await startTarget((_request, response) => {
    response.end('other')
  })
  target = await startTarget((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    const to = searchParams.get('to')
    if (to !== null)
      return void response.writeHead(Number(pathname.slice(1)), { location: to }).end()
    switch (pathname) {
      case '/silent':
        return
      case '/stalls':
        return void response.write('begun')
      case '/breaks':
        return void response.write('begun', () => {
          response.destroy()
        })
      case '/loop':
        return void response.writeHead(302, { location: '/loop' }).end()
      case '/long':
        return void response.end('x'.repeat(1_001))
      case '/endless': {
        const write = (): void => {
          while (!response.destroyed && response.write('x'.repeat(100)));
        }
        response.on('drain', write)
        return write()
      }
      case '/bomb':
        return void response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync('x'.repeat(100_000)))
      case '/cookies':
        return void response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], 'x-one': 'yes' }).end()
      case '/missing':
        return void response.writeHead(404).end('no such thing')
      default:
        return void response.end('fine')
    }
  })
  outbound = outboundTo([target.url, other.url])
})
afterAll(() => Promise.all([target.close(), other.close()]))

describe('an answer', () => {
  test('is a value whatever its status', async () => {
    const answer = await get(`${target.url}/missing`)
    if (!answer.ok) throw new Error(answer.error.message)
    expect(answer.value).toMatchObject({ status: 404 })
    expect(answer.value.text()).toBe('no such thing')
    expect(answer.value.body).toHaveLength(13)
  })

  test('keeps its headers, also those given twice', async () => {
    expect(await get(`${target.url}/cookies`)).toMatchObject({
      value: { headers: { 'x-one': 'yes', 'set-cookie': 'a=1, b=2' } },
    })
  })

  test.each([
    ['text', 'héllo'],
    ['bytes', new TextEncoder().encode('héllo')],
  ])('comes to a body of %s', async (_title, body) => {
    await outbound.request({
      lease: undefined,
      url: target.url,
      method: 'post',
      body,
      headers: { 'x-mine': '1' },
    })
    expect(target.seen.at(-1)).toMatchObject({
      method: 'POST',
      body: 'héllo',
      headers: { 'x-mine': '1' },
    })
  })
})

describe('a deadline', () => {
  test.each(['/silent', '/stalls'])(
    'ends an exchange that is too slow and closes its connection: %s',
    async (path) => {
      const answer = await get(target.url + path, { timeoutMs: 50 })
      expect(answer).toMatchObject({
        ok: false,
        error: { code: 'TIMEOUT', message: expect.stringContaining(path), details: { sent: true } },
      })
      await until(() => target.seen.at(-1)?.left)
    },
  )

  test('is there for a request that names none', async () => {
    expect(
      await outboundTo([target.url], { timeoutMs: 30 }).request({
        lease: undefined,
        url: `${target.url}/silent`,
        method: 'GET',
      }),
    ).toMatchObject({ error: { code: 'TIMEOUT' } })
  })

  test('is told from a cancel', async () => {
    const stop = new AbortController()
    const answer = get(`${target.url}/silent?cancel`, { signal: stop.signal })
    await until(() => target.seen.some(({ url }) => url.includes('cancel')))
    stop.abort()
    expect(await answer).toMatchObject({
      ok: false,
      error: {
        code: 'CANCELLED',
        message: expect.stringContaining('cancelled'),
        details: { cancelled: true },
      },
    })
    expect(await get(target.url, { signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      error: { details: { cancelled: true } },
    })
  })
})

describe('a limit of size', () => {
  test.each(['/long', '/endless', '/bomb'])('stops an answer that is longer: %s', async (path) => {
    expect(await get(target.url + path)).toMatchObject({
      ok: false,
      error: { code: 'TOO_LARGE', message: expect.stringContaining('1000 bytes') },
    })
  })

  test('frees the connection of an answer without end', async () => {
    await get(`${target.url}/endless`)
    await until(() => target.seen.at(-1)?.left)
  })

  test('is met by an answer of just that length', async () => {
    expect(await get(`${target.url}/long`, { maxBytes: 1_001 })).toMatchObject({ ok: true })
    expect(await get(`${target.url}/bomb`, { maxBytes: 100_000 })).toMatchObject({ ok: true })
  })
})

describe('a lease', () => {
  test('that is about to end sends nothing', async () => {
    const before = target.seen.length
    for (const left of [LEASE_MARGIN, 1, 0]) {
      expect(await get(target.url, { lease: leaseOf(left) })).toMatchObject({
        ok: false,
        error: { code: 'LEASE_LOST', details: { sent: false } },
      })
    }
    expect(target.seen).toHaveLength(before)
  })

  test('with time left sends', async () => {
    expect(await get(target.url, { lease: leaseOf(LEASE_MARGIN + 1) })).toMatchObject({ ok: true })
  })

  test('that is lost meanwhile ends the exchange', async () => {
    const lease = leaseOf(10_000)
    const answer = get(`${target.url}/stalls?lost`, { lease })
    await until(() => target.seen.at(-1)?.url.includes('lost'))
    lease.lose()
    expect(await answer).toMatchObject({
      ok: false,
      error: { code: 'LEASE_LOST', details: { sent: true } },
    })
    await until(() => target.seen.at(-1)?.left)
  })

  test('is read again before a redirect is followed', async () => {
    const lease = leaseOf(10_000)
    const hop = await startTarget((_request, response) => {
      lease.leave(LEASE_MARGIN)
      response.writeHead(302, { location: target.url }).end()
    })
    const before = target.seen.length
    expect(await get(hop.url, { lease })).toMatchObject({
      ok: false,
      error: { code: 'LEASE_LOST' },
    })
    expect(target.seen).toHaveLength(before)
    await hop.close()
  })
})

describe('a key', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('goes with %s', async (method) => {
    await outbound.request({ lease: undefined, url: target.url, method, key: 'run:call' })
    expect(target.seen.at(-1)?.headers['idempotency-key']).toBe('run:call')
  })

  test.each(['GET', 'HEAD', 'OPTIONS'])('stays away from %s', async (method) => {
    await outbound.request({ lease: undefined, url: target.url, method, key: 'run:call' })
    expect(target.seen.at(-1)?.headers['idempotency-key']).toBeUndefined()
  })
})

describe('a redirect', () => {
  const credentials = {
    authorization: 'Bearer secret',
    cookie: 'c=secret',
    'x-api-key': 'secret',
    accept: 'text/plain',
  }

  test('inside its origin is followed with all headers', async () => {
    expect(await get(`${target.url}/302?to=/there`, { headers: credentials })).toMatchObject({
      ok: true,
      value: { status: 200 },
    })
    expect(target.seen.at(-1)).toMatchObject({
      url: '/there',
      headers: { authorization: 'Bearer secret', 'x-api-key': 'secret' },
    })
  })

  test('to another origin carries no credential', async () => {
    expect(
      await get(`${target.url}/307?to=${other.url}/there`, { headers: credentials }),
    ).toMatchObject({ ok: true })
    const { headers } = other.seen.at(-1) ?? expect.fail('not followed')
    expect(JSON.stringify(headers)).not.toContain('secret')
    expect(headers.accept).toBe('text/plain')
  })

  test.each(['POST', 'PUT', 'DELETE'])('of %s is the answer', async (method) => {
    const before = other.seen.length
    const answer = await outbound.request({
      lease: undefined,
      url: `${target.url}/308?to=${other.url}`,
      method,
      key: 'k',
    })
    expect(answer).toMatchObject({
      ok: true,
      value: { status: 308, headers: { location: other.url } },
    })
    expect(other.seen).toHaveLength(before)
  })

  test('without end is refused', async () => {
    const before = target.seen.length
    expect(await get(`${target.url}/loop`)).toMatchObject({
      ok: false,
      error: {
        code: 'OUTBOUND_REFUSED',
        message: expect.stringContaining(`more than ${MAX_REDIRECTS} times`),
      },
    })
    expect(target.seen).toHaveLength(before + MAX_REDIRECTS + 1)
  })

  test.each(['file:///etc/passwd', 'data:text/plain,x', 'http://me:pw@127.0.0.1/', 'http://'])(
    'to an address that is not allowed is refused: %s',
    async (to) => {
      const answer = await get(`${target.url}/302?to=${encodeURIComponent(to)}`)
      expect(answer).toMatchObject({ ok: false, error: { code: 'OUTBOUND_REFUSED' } })
      expect(JSON.stringify(answer)).not.toContain('pw')
    },
  )
})

describe('what cannot be sent', () => {
  test.each([
    'file:///etc/passwd',
    'ftp://host/',
    'javascript:alert(1)',
    'nonsense',
    '',
    'http://me:pw@127.0.0.1/',
  ])('is refused for its address: %s', async (url) => {
    const answer = await get(url)
    expect(answer).toMatchObject({
      ok: false,
      error: { code: 'OUTBOUND_REFUSED', details: { sent: false } },
    })
    expect(JSON.stringify(answer)).not.toContain('pw')
  })

  test('says that nobody listens, and that nothing was sent', async () => {
    const gone = await startTarget(() => undefined)
    await gone.close()
    expect(await get(gone.url)).toMatchObject({
      ok: false,
      error: {
        code: 'OUTBOUND_FAILED',
        message: expect.stringContaining('connection was refused'),
        details: { sent: false },
      },
    })
  })

  test('says that the host is unknown', async () => {
    expect(await get('http://nowhere.invalid/')).toMatchObject({
      ok: false,
      error: { code: 'OUTBOUND_FAILED', details: { sent: false } },
    })
  })

  test('says that a connection broke, and that it may have arrived', async () => {
    expect(await get(`${target.url}/breaks`)).toMatchObject({
      ok: false,
      error: { code: 'OUTBOUND_FAILED', details: { sent: true } },
    })
  })

  test('never repeats a secret', async () => {
    const secret = 'sk-0123456789'
    const failing = [
      get(`${target.url}/silent?key=${secret}`, { timeoutMs: 20 }),
      get(target.url, { headers: { authorization: `Bearer ${secret}\nx` } }),
      get(target.url, { headers: { [`bad name ${secret}`]: 'x' } }),
      get(`http://127.0.0.1:1/?key=${secret}`),
      get(`${target.url}/long?key=${secret}`),
      get(target.url, { body: secret }),
    ]
    for (const answer of await Promise.all(failing)) {
      expect(answer.ok).toBe(false)
      expect(JSON.stringify(answer)).not.toContain(secret)
    }
  })
})
