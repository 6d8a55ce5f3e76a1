import { createServer } from 'node:http'
import { once } from 'node:events'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canonicalTarget, encodePath, readingsOf } from '../src/tokens.ts'

const BASE = new URL('https://api.example.com/v1')
const pathOf = (endpoint: string, base = BASE): string | undefined => {
  const target = canonicalTarget(base, endpoint)
  return target.ok ? target.value.path : undefined
}

describe('one spelling', () => {
  test.each([
    ['/deals/7', '/v1/deals/7'],
    ['deals/7', '/v1/deals/7'],
    ['', '/v1'],
    ['/', '/v1'],
    ['/deals//7', '/v1/deals/7'],
    ['/deals/7/', '/v1/deals/7/'],
    ['/./deals/x/../7', '/v1/deals/7'],
    ['/%64eals/%37', '/v1/deals/7'],
    ['/files/a%2Fb', '/v1/files/a%2Fb'],
    ['/files/a%2fb', '/v1/files/a%2Fb'],
    ['/files/100%25.txt', '/v1/files/100%25.txt'],
    ['/files/a%20b', '/v1/files/a b'],
    ['/cafe\u0301', '/v1/caf\u00e9'],
    ['/v1/deals/7', '/v1/deals/7'],
    ['https://API.example.com:443/v1/deals', '/v1/deals'],
    ['/deals;v=1/7', '/v1/deals;v=1/7'],
    ['/deals%3Bv', '/v1/deals%3Bv'],
    ['/users/@me', '/v1/users/@me'],
    ['/a:b', '/v1/a:b'],
    ['/..%2Fv1/x', '/v1/..%2Fv1/x'],
  ])('%s → %s', (endpoint, path) => {
    expect(pathOf(endpoint)).toBe(path)
  })

  test('keeps the base of an address, and finds endpoints that have it already', () => {
    const base = new URL('https://api.example.com/services/data/v59.0/')
    expect(pathOf('/query', base)).toBe('/services/data/v59.0/query')
    expect(pathOf('', base)).toBe('/services/data/v59.0/')
    expect(pathOf('/services/data/v59.0/query', base)).toBe('/services/data/v59.0/query')
    expect(pathOf('/services/data/x', base)).toBe('/services/data/v59.0/services/data/x')
    expect(pathOf('/deals', new URL('http://127.0.0.1:8080'))).toBe('/deals')
  })

  test.each([
    'https://evil.example/deals',
    '//evil.example/deals',
    '/\\evil.example',
    '\\\\evil',
    'http:evil',
    'javascript:alert(1)',
    '@evil.example',
    ':8443/x',
    'https://api.example.com@evil.example/v1',
    'https://api.example.com/v2/x',
    '/../v2',
    '/%2e%2e/v2',
    '/..%2fv2',
    '/\u2025/v2',
    '/\uff0e\uff0e/v2',
    '/a/..;/b',
    '/;/a',
    '/a%00b',
    '/a%0ab',
    '/a\tb',
    '/a\u200bb',
    '/a%c2%85',
    '/%zz',
    '/%ff',
    '/a%252fb',
    '/a%25252eb',
    '/a#/../b',
    '/a#%2e%2e/b',
    '/a\ud800',
    '/a?x\r\ny',
    '/.../..',
  ])('has none for %j', (endpoint) => {
    expect(canonicalTarget(BASE, endpoint)).toMatchObject({ ok: false, error: expect.any(String) })
  })
})

/** What makes parsers disagree, and what is ordinary. */
const piece = fc.oneof(
  fc.constantFrom(
    'deals',
    '7',
    '..',
    '.',
    '/',
    '//',
    '%2e',
    '%2E%2e',
    '%2f',
    '%5C',
    '\\',
    ';',
    ';a=b',
    '%3b',
    '%25',
    '%2525',
    '%252e',
    '?',
    '#',
    '%00',
    ' ',
    '%20',
    'v1',
    'V1',
    '@',
    ':',
    'http:',
    '\u2025',
    '\uff0f',
    '\u2215',
    'é',
    'e\u0301',
    '%c3%a9',
    '+',
    '~',
    "'",
    '|',
    '{id}',
    '[',
    '<',
    '"',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
)
const endpoint = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))

describe('whatever is asked', () => {
  test('the spelling stays the same when it is made again', () => {
    fc.assert(
      fc.property(endpoint, (text) => {
        const once = canonicalTarget(BASE, text)
        if (!once.ok) return
        expect(pathOf(`${BASE.origin}${encodePath(once.value.path)}`)).toBe(once.value.path)
      }),
      { numRuns: 5_000 },
    )
  })

  test('it stays below the base, in every reading', () => {
    fc.assert(
      fc.property(endpoint, (text) => {
        const path = pathOf(text)
        if (path === undefined) return
        for (const reading of readingsOf(path)) {
          // The parser of the platform resolves dots and backslashes as servers do.
          expect(
            new URL(`http://x${encodeURI(reading).replaceAll('%25', '%')}`).pathname.toLowerCase(),
          ).toMatch(/^\/v1(\/|$)/)
        }
      }),
      { numRuns: 5_000 },
    )
  })

  test('no URL parser changes what is sent', () => {
    fc.assert(
      fc.property(endpoint, (text) => {
        const path = pathOf(text)
        if (path !== undefined)
          expect(new URL(`https://api.example.com${encodePath(path)}`).pathname).toBe(
            encodePath(path),
          )
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('over the wire', () => {
  const came: string[] = []
  const server = createServer(({ url }, response) => {
    came.push(url ?? '')
    response.end()
  })
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
      }),
  )

  test('what was judged arrives, byte for byte', async () => {
    const address = server.address()
    const base = new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`)
    await fc.assert(
      fc.asyncProperty(endpoint, async (text) => {
        const path = pathOf(text, base)
        if (path === undefined) return
        await (await fetch(`${base.origin}${encodePath(path)}`)).text()
        expect(came.at(-1)).toBe(encodePath(path))
        expect(pathOf(`${base.origin}${came.at(-1) ?? ''}`, base)).toBe(path)
      }),
      { numRuns: 300 },
    )
  })
})

test('readings: what servers may make of a path', () => {
  expect(readingsOf('/v1/deals/7')).toEqual(['/v1/deals/7'])
  expect(readingsOf('/v1/admin%2Fusers')).toContain('/v1/admin/users')
  expect(readingsOf('/v1/%2564eals')).toContain('/v1/deals')
  expect(readingsOf('/v1/ad\uff4din;x/users. ')).toEqual(
    expect.arrayContaining(['/v1/admin/users']),
  )
  expect(readingsOf('/v1/q%3Fx')).toContain('/v1/q')
  expect(readingsOf('/v1/a%5C..%5Cb')).toContain('/v1/a/../b')
})
