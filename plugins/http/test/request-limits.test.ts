import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { use } from '@amodal/sdk'
import { failed, readJson } from '../src/tokens.ts'
import { errorOf, mounting, raw, serving } from './server.ts'

describe('limits', () => {
  const reading = (maxBody?: number) =>
    serving(
      [
        use(
          mounting('reader', (t) =>
            t.mount(
              '/read',
              {
                async fetch(request) {
                  const body = await readJson(request, z.object({ text: z.string() }))
                  return body.ok
                    ? Response.json({ length: body.value.text.length })
                    : failed(body.error)
                },
              },
              maxBody === undefined ? {} : { maxBody },
            ),
          ),
        ),
      ],
      { maxBodyBytes: 1_000, requestTimeoutMs: 300 },
    )
  const json = { 'content-type': 'application/json' }

  test('a body that is too large is refused, declared or not', async () => {
    await using server = await reading()
    const body = JSON.stringify({ text: 'x'.repeat(2_000) })
    const declared = await server.get('/read', { method: 'POST', headers: json, body })
    expect(declared.status).toBe(413)
    expect(await errorOf(declared)).toMatchObject({ code: 'TOO_LARGE' })
    const chunked: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: json,
      body: new Blob([body]).stream(),
      duplex: 'half',
    }
    expect((await server.get('/read', chunked)).status).toBe(413)
  })

  test('a chunked body within the limit is read', async () => {
    await using server = await reading()
    const chunked: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: json,
      body: new Blob(['{"text":"hello"}']).stream(),
      duplex: 'half',
    }
    expect(await (await server.get('/read', chunked)).json()).toEqual({ length: 5 })
  })

  test('a route may allow more', async () => {
    await using server = await reading(5_000)
    expect(
      (
        await server.get('/read', {
          method: 'POST',
          headers: json,
          body: JSON.stringify({ text: 'x'.repeat(2_000) }),
        })
      ).status,
    ).toBe(200)
  })

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
  ] as const)('a body encoded with %s is decoded, within the limit', async (encoding, encode) => {
    await using server = await reading()
    const send = (text: string) =>
      server.get('/read', {
        method: 'POST',
        headers: { ...json, 'content-encoding': encoding },
        body: new Uint8Array(encode(JSON.stringify({ text }))),
      })
    expect(await (await send('hello')).json()).toEqual({ length: 5 })
    const bomb = await send('x'.repeat(500_000)) // encoded it is smaller than the limit
    expect([bomb.status, (await errorOf(bomb)).code]).toEqual([413, 'TOO_LARGE'])
  })

  test('an unsupported encoding is refused by its name, and so is a body that is not encoded as declared', async () => {
    await using server = await reading()
    const send = (encoding: string, body: Uint8Array<ArrayBuffer>) =>
      server.get('/read', {
        method: 'POST',
        headers: { ...json, 'content-encoding': encoding },
        body,
      })
    const other = await send('br', new Uint8Array(brotliCompressSync('{"text":"hello"}')))
    expect([other.status, await errorOf(other)]).toEqual([
      415,
      {
        code: 'UNSUPPORTED_MEDIA',
        message: expect.stringContaining('content-encoding: only gzip and deflate are decoded'),
      },
    ])
    const wrong = await send('gzip', new TextEncoder().encode('{"text":"hello"}'))
    expect([wrong.status, await errorOf(wrong)]).toEqual([
      400,
      { code: 'VALIDATION_ERROR', message: expect.stringContaining('content-encoding') },
    ])
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    '',
  ])('a body declared as "%s" is not taken for JSON', async (type) => {
    await using server = await reading()
    const response = await server.get('/read', {
      method: 'POST',
      headers: { 'content-type': type },
      body: '{"text":"x"}',
    })
    expect(response.status).toBe(415)
    expect(await errorOf(response)).toMatchObject({ code: 'UNSUPPORTED_MEDIA' })
  })

  test.each([
    ['{"text":', /^body: /],
    ['{"text":1}', /^text: /],
    ['[]', /^body: /],
    ['null', /^body: /],
    ['', /^text: /],
    [`{"text":${'['.repeat(400)}${']'.repeat(400)}}`, /nested/],
  ])('%s says what does not fit', async (body, message) => {
    await using server = await reading()
    const response = await server.get('/read', { method: 'POST', headers: json, body })
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toEqual({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(message),
    })
  })

  test('a request that does not arrive in time is aborted', async () => {
    await using server = await reading()
    expect(
      await raw(
        server.port,
        'POST /read HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{',
        3_000,
      ),
    ).toMatch(/^HTTP\/1.1 408.*TIMEOUT/s)
    expect(await raw(server.port, 'GET /read HTTP/1.1\r\nhost: loc', 3_000)).toMatch(
      /^HTTP\/1.1 408/,
    )
  })

  test('a request that is not HTTP gets a 400', async () => {
    await using server = await reading()
    expect(await raw(server.port, 'hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400.*VALIDATION_ERROR/s)
    expect(
      await raw(
        server.port,
        `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1.1 431/)
  })
})
