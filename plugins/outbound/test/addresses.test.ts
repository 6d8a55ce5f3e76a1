import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kindOf, type AddressKind } from '../src/address-kind.ts'
import type { Resolve } from '../src/address-refused.ts'
import { nextHop } from '../src/redirect.ts'
import { ok } from '@amodal/sdk'
import { outboundTo, startTarget, type Target } from './support.ts'

let target: Target
let other: Target
beforeAll(async () => {
  other = await startTarget((_request, response) => {
    response.end('inner')
  })
  target = await startTarget((request, response) => {
    const to = new URL(request.url ?? '/', 'http://x').searchParams.get('to')
    if (to === null) return void response.end('fine')
    response.writeHead(302, { location: to }).end()
  })
})
afterAll(() => Promise.all([target.close(), other.close()]))

/** A name server that answers as it is told, the last answer again and again. */
const names = (
  ...answers: readonly (readonly string[])[]
): { readonly resolve: Resolve; readonly asked: readonly string[] } => {
  const asked: string[] = []
  const resolve: Resolve = (host, _options, done) => {
    const answer = answers[Math.min(asked.push(host), answers.length) - 1] ?? []
    done(
      null,
      answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return { resolve, asked }
}

describe('the kind of an address', () => {
  const table: Readonly<Record<AddressKind, readonly string[]>> = {
    public: [
      '8.8.8.8',
      '1.1.1.1',
      '172.15.255.255',
      '172.32.0.1',
      '100.63.255.255',
      '100.128.0.1',
      '169.253.255.255',
      '223.255.255.255',
      '2606:4700::1111',
      '2a00:1450::200e',
      '::ffff:8.8.8.8',
      '64:ff9b::808:808',
    ],
    private: [
      '127.0.0.1',
      '127.255.255.254',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.64.0.1',
      '100.127.255.255',
      '198.18.0.1',
      '198.19.255.255',
      '::1',
      'fc00::1',
      'fd12:3456::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::ffff:a00:1',
      '64:ff9b::7f00:1',
      '64:ff9b::10.0.0.1',
    ],
    closed: [
      '169.254.169.254',
      '169.254.170.2',
      '169.254.0.1',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      'fd00:ec2::254',
      '::ffff:169.254.169.254',
      '::ffff:100.100.100.200',
      '64:ff9b::a9fe:a9fe',
      '0.0.0.0',
      '0.1.2.3',
      '192.0.2.1',
      '198.51.100.7',
      '203.0.113.9',
      '192.88.99.1',
      '224.0.0.1',
      '239.255.255.250',
      '240.0.0.1',
      '255.255.255.255',
      '::',
      'fe80::1',
      'fe80::1%eth0',
      'febf::1',
      'fec0::1',
      'ff02::1',
      '100::1',
      '2001:db8::1',
      '3fff::1',
      '2002:7f00:1::',
      '2002:808:808::',
      '2001:0:4136:e378:8000:63bf:3fff:fdd2',
      '64:ff9b:1::8.8.8.8',
      '::127.0.0.1',
      '::8.8.8.8',
      '::ffff:0:127.0.0.1',
      '4000::1',
      '5f00::1',
      'e000::1',
      'nonsense',
      '',
      '1.2.3',
    ],
  }
  test.each(
    Object.entries(table).flatMap(([kind, addresses]) =>
      addresses.map((address) => [address, kind]),
    ),
  )('%s is %s', (address, kind) => {
    expect(kindOf(address)).toBe(kind)
  })
})

describe('an address in a URL is refused in every spelling', () => {
  const spellings = [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://127.0.0.1./',
    'http://１２７.0.0.1/',
    'http://①②⑦.0.0.1/',
    'http://127.0.0.1%2e/',
    'http://%31%32%37.0.0.1/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fe80::1%25eth0]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0xa9fea9fe/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://10.0.0.1/',
    'http://192.168.0.1/',
    'http://172.16.0.1/',
    'http://100.64.0.1/',
    'http://0.0.0.0/',
    'http://0/',
    'http://[::]/',
    'http://224.0.0.1/',
    'http://[fd00:ec2::254]/',
    'https://10.0.0.1:8443/',
  ]
  test.each(spellings)('%s', async (url) => {
    expect(
      await outboundTo([]).request({ lease: undefined, url, method: 'GET', timeoutMs: 2_000 }),
    ).toMatchObject({
      ok: false,
      error: { code: 'OUTBOUND_REFUSED', details: { sent: false } },
    })
  })

  test('and nothing arrives there, whatever the request is', async () => {
    const before = target.seen.length
    const { port } = new URL(target.url)
    for (const method of ['GET', 'POST']) {
      for (const host of ['127.0.0.1', '2130706433', 'localhost', '[::ffff:127.0.0.1]']) {
        expect(
          await outboundTo([]).request({
            lease: undefined,
            url: `http://${host}:${port}/`,
            method,
          }),
        ).toMatchObject({ ok: false, error: { code: 'OUTBOUND_REFUSED' } })
      }
    }
    await expect(outboundTo([]).fetch()(target.url)).rejects.toMatchObject({
      cause: { code: 'OUTBOUND_REFUSED' },
    })
    expect(target.seen).toHaveLength(before)
  })
})

describe('a name', () => {
  test.each([
    [['127.0.0.1']],
    [['8.8.8.8', '10.0.0.1']],
    [['10.0.0.1', '8.8.8.8']],
    [['2606:4700::1111', '::1']],
    [['::ffff:192.168.0.1']],
    [['fe80::1%eth0']],
    [['169.254.169.254']],
  ])('that leads to %j is refused, and its addresses are not told', async (addresses) => {
    const answer = await outboundTo([], {}, names(addresses)).request({
      lease: undefined,
      url: 'http://rebound.example/path?key=secret',
      method: 'GET',
    })
    expect(answer).toMatchObject({
      ok: false,
      error: {
        code: 'OUTBOUND_REFUSED',
        message: expect.stringContaining('rebound.example'),
        details: { sent: false },
      },
    })
    for (const hidden of [...addresses, 'secret'])
      expect(JSON.stringify(answer)).not.toContain(hidden)
  })

  test('is looked up once for a connection, so that a second answer never counts', async () => {
    const { port } = new URL(target.url)
    const url = `http://inner.example:${port}/`
    const rebinding = names(['127.0.0.1'], ['169.254.169.254'])
    const outbound = outboundTo([], {}, rebinding)
    expect(
      await outbound.request({
        lease: undefined,
        url,
        method: 'GET',
        privateOrigin: url,
        headers: { accept: 'text/plain' },
      }),
    ).toMatchObject({ ok: true })
    expect(rebinding.asked).toEqual(['inner.example'])
    expect(target.seen.at(-1)).toMatchObject({ headers: { host: `inner.example:${port}` } })
  })

  test('that led to a public address is asked again for the next connection', async () => {
    const rebinding = names(['192.0.2.1'], ['127.0.0.1'])
    const outbound = outboundTo([], {}, rebinding)
    for (const _ of [1, 2])
      expect(
        await outbound.request({ lease: undefined, url: 'http://rebound.example/', method: 'GET' }),
      ).toMatchObject({ error: { code: 'OUTBOUND_REFUSED' } })
    expect(rebinding.asked).toHaveLength(2)
  })

  test('without an address is unknown', async () => {
    expect(
      await outboundTo([], {}, names([])).request({
        lease: undefined,
        url: 'http://gone.example/',
        method: 'GET',
      }),
    ).toMatchObject({
      error: { code: 'OUTBOUND_FAILED', message: expect.stringContaining('unknown') },
    })
  })
})

describe("an origin that the agent's own files name", () => {
  test('may be private, for the request that names it', async () => {
    const outbound = outboundTo([])
    expect(
      await outbound.request({
        lease: undefined,
        url: `${target.url}/a`,
        method: 'GET',
        privateOrigin: target.url,
      }),
    ).toMatchObject({ ok: true })
    // The connection that is kept open from before is not there for others.
    expect(
      await outbound.request({ lease: undefined, url: `${target.url}/b`, method: 'GET' }),
    ).toMatchObject({
      error: { code: 'OUTBOUND_REFUSED' },
    })
    expect(
      await outbound.request({
        lease: undefined,
        url: `${target.url}/b`,
        method: 'GET',
        privateOrigin: other.url,
      }),
    ).toMatchObject({ error: { code: 'OUTBOUND_REFUSED' } })
    expect(
      await (await outbound.fetch(undefined, `${target.url}/v1`)(`${target.url}/c`)).text(),
    ).toBe('fine')
    expect(target.seen.at(-1)?.url).toBe('/c')
  })

  test('is that origin and no other port, host or protocol', async () => {
    const { port } = new URL(target.url)
    for (const privateOrigin of [
      `http://localhost:${port}`,
      'http://127.0.0.1',
      `https://127.0.0.1:${port}`,
      'nonsense',
      '',
    ]) {
      expect(
        await outboundTo([]).request({
          lease: undefined,
          url: target.url,
          method: 'GET',
          privateOrigin,
        }),
      ).toMatchObject({ error: { code: 'OUTBOUND_REFUSED' } })
    }
  })

  test.each([
    'http://169.254.169.254/',
    'http://[fe80::1]/',
    'http://0.0.0.0/',
    'http://224.0.0.1/',
    'http://100.100.100.200/',
  ])('is still never %s', async (url) => {
    expect(
      await outboundTo([url]).request({
        lease: undefined,
        url,
        method: 'GET',
        privateOrigin: url,
        timeoutMs: 2_000,
      }),
    ).toMatchObject({ error: { code: 'OUTBOUND_REFUSED' } })
  })

  test('may be named in the configuration for all requests', async () => {
    expect(
      await outboundTo([new URL(target.url).origin]).request({
        lease: undefined,
        url: target.url,
        method: 'GET',
      }),
    ).toMatchObject({ ok: true })
  })
})

describe('a redirect', () => {
  test('to a private address is refused, and nothing arrives there', async () => {
    const before = other.seen.length
    for (const to of [
      other.url,
      other.url.replace('127.0.0.1', 'localhost'),
      other.url.replace('127.0.0.1', '2130706433'),
      'http://169.254.169.254/',
    ]) {
      const answer = await outboundTo([]).request({
        lease: undefined,
        url: `${target.url}/?to=${encodeURIComponent(to)}`,
        method: 'GET',
        privateOrigin: target.url,
      })
      expect(answer).toMatchObject({ ok: false, error: { code: 'OUTBOUND_REFUSED' } })
    }
    expect(other.seen).toHaveLength(before)
  })

  test('to a name is checked as a first request is', async () => {
    const answer = await outboundTo([new URL(target.url).origin], {}, names(['10.0.0.1'])).request({
      lease: undefined,
      url: `${target.url}/?to=${encodeURIComponent('http://rebound.example/')}`,
      method: 'GET',
    })
    expect(answer).toMatchObject({
      ok: false,
      error: { code: 'OUTBOUND_REFUSED', message: expect.stringContaining('rebound.example') },
    })
  })

  test('from https to http is refused', () => {
    const response = new Response(null, {
      status: 302,
      headers: { location: 'http://elsewhere.example/' },
    })
    const hop = { url: new URL('https://safe.example/'), headers: new Headers() }
    expect(nextHop(response, hop, 'GET', 0, (url) => ok(url))).toMatchObject({
      ok: false,
      error: { code: 'OUTBOUND_REFUSED', message: expect.stringContaining('https to http') },
    })
  })

  test('to a port that is not allowed is refused', async () => {
    const outbound = outboundTo([new URL(target.url).origin], {}, { ports: [80, 443] })
    expect(
      await outbound.request({
        lease: undefined,
        url: `${target.url}/?to=${encodeURIComponent('http://elsewhere.example:8080/')}`,
        method: 'GET',
      }),
    ).toMatchObject({
      error: { code: 'OUTBOUND_REFUSED', message: expect.stringContaining('8080') },
    })
  })
})

test('a port that is not allowed, or belongs to another protocol, is refused', async () => {
  const outbound = outboundTo([], {}, { ports: [80, 443], ...names(['192.0.2.1']) })
  expect(
    await outbound.request({
      lease: undefined,
      url: 'http://elsewhere.example:8080/',
      method: 'GET',
    }),
  ).toMatchObject({
    error: { code: 'OUTBOUND_REFUSED', message: expect.stringContaining('port 8080') },
  })
  expect(
    await outboundTo([]).request({
      lease: undefined,
      url: 'http://elsewhere.example:25/',
      method: 'GET',
    }),
  ).toMatchObject({
    error: { code: 'OUTBOUND_REFUSED', message: expect.stringContaining('port 25') },
  })
})

test('headers that the connection makes itself are not taken from a caller', async () => {
  for (const name of ['Host', 'connection', 'Transfer-Encoding', 'content-length', 'upgrade']) {
    expect(
      await outboundTo([target.url]).request({
        lease: undefined,
        url: target.url,
        method: 'POST',
        body: 'x',
        headers: { [name]: 'elsewhere.example' },
      }),
    ).toMatchObject({ error: { code: 'OUTBOUND_REFUSED' } })
  }
  await (
    await outboundTo([target.url]).fetch()(target.url, { headers: { host: 'elsewhere.example' } })
  ).text()
  expect(target.seen.at(-1)?.headers.host).toBe(new URL(target.url).host)
})
