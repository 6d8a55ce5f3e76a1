import { once } from 'node:events'
import { createConnection } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { explain, failure, Kernel, use } from '@amodal/sdk'
import { http } from '../src/index.ts'
import { failed, HttpApp, readJson, statusOf } from '../src/tokens.ts'
import { mounting, raw, serving, type Running } from './server.ts'

const text = (body: string) => ({ fetch: () => new Response(body) })
const errorOf = async (response: Response): Promise<{ code: string; message: string }> =>
  (await response.json()).error

describe('routes', () => {
  test('the longest prefix that matches answers', async () => {
    await using server = await serving([
      use(
        mounting('notes', (table) => {
          table.mount('/notes', text('notes'))
          table.mount('/notes/all', text('all'))
          table.mount('/', text('rest'))
        }),
      ),
    ])
    const answers = await Promise.all(
      ['/notes', '/notes/7?x=1', '/notes/all', '/notes/all/x', '/notesx', '/'].map(async (path) =>
        (await server.get(path)).text(),
      ),
    )
    expect(answers).toEqual(['notes', 'notes', 'all', 'all', 'rest', 'rest'])
  })

  test('a parameter stands for any segment, and one that is written out wins over it', async () => {
    await using server = await serving([
      use(
        mounting('notes', (table) => {
          table.mount('/notes', text('notes'))
          table.mount('/notes/:id/pages', text('pages'))
          table.mount('/notes/all/pages', text('all'))
        }),
      ),
    ])
    const answers = await Promise.all(
      ['/notes/7', '/notes/7/pages', '/notes/7/pages/2', '/notes/all/pages', '/notes//pages'].map(
        async (path) => (await server.get(path)).text(),
      ),
    )
    expect(answers).toEqual(['notes', 'pages', 'pages', 'all', 'notes'])
  })

  test('a prefix that two plugins mount stops the start, and names both', async () => {
    const made = await Kernel.create([
      use(http, { port: 0 }),
      use(mounting('a', (t) => t.mount('/x', text('a')))),
      use(mounting('b', (t) => t.mount('/x', text('b')))),
    ])
    expect(made.ok ? undefined : made.error).toMatchObject({ error: { code: 'DUPLICATE_NAME' } })
    expect(made.ok ? '' : explain(made.error)).toMatch(/a and b both mount \/x/)
  })

  test('a prefix that is none names the plugin', async () => {
    const made = await Kernel.create([
      use(http, { port: 0 }),
      use(mounting('odd', (t) => t.mount('/x/*', text('')))),
    ])
    expect(made.ok ? '' : explain(made.error)).toMatch(
      /"\/x\/\*" is no prefix.*\n +where: the plugin odd/,
    )
  })

  test('what nobody mounted is not found', async () => {
    await using server = await serving([])
    const response = await server.get('/nothing')
    expect(response.status).toBe(404)
    expect(await errorOf(response)).toMatchObject({ code: 'NOT_FOUND' })
  })

  test('a reload swaps the routes behind a socket that stays open', async () => {
    await using server = await serving([use(mounting('one', (t) => t.mount('/x', text('one'))))])
    const socket = createConnection({ port: server.port, host: '127.0.0.1' })
    await once(socket, 'connect')
    const ask = async (): Promise<string> => {
      socket.write('GET /x HTTP/1.1\r\nhost: localhost\r\n\r\n')
      const [chunk]: Buffer[] = await once(socket, 'data')
      return String(chunk).split('\r\n\r\n').at(-1)?.trim() ?? ''
    }
    expect(await ask()).toContain('one')
    const reloaded = await server.kernel.reload([
      ...server.entries.slice(0, 2),
      use(mounting('two', (t) => t.mount('/x', text('two')))),
    ])
    expect(reloaded.ok && reloaded.value.carried).toContain('http')
    expect(await ask()).toContain('two')
    socket.destroy()
  })

  test('a reload that mounts a prefix twice serves the first, and the log names both', async () => {
    await using server = await serving([use(mounting('a', (t) => t.mount('/x', text('a'))))])
    await server.kernel.reload([
      ...server.entries,
      use(mounting('b', (t) => t.mount('/x', text('b')))),
    ])
    expect(await (await server.get('/x')).text()).toBe('a')
    expect(server.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        event: 'http.routes',
        data: expect.objectContaining({ message: expect.stringMatching(/a and b both mount \/x/) }),
      }),
    )
  })

  test('an embedding may call the routes without the socket', async () => {
    await using server = await serving([
      use(mounting('notes', (t) => t.mount('/notes', text('notes')))),
    ])
    expect(
      await (
        await server.kernel.scope.get(HttpApp).fetch(new Request('https://example.com/notes'))
      ).text(),
    ).toBe('notes')
  })
})

describe('where it listens', () => {
  test('a port in use is named, with what to do', async () => {
    await using server = await serving([])
    const made = await Kernel.create([use(http, { port: server.port })])
    expect(made.ok ? undefined : made.error).toMatchObject({
      kind: 'plugin',
      error: { code: 'PORT_IN_USE' },
    })
    expect(made.ok ? '' : explain(made.error)).toMatch(
      new RegExp(
        `port ${server.port} on 127.0.0.1 is in use: stop the other process, or choose another port with --port`,
      ),
    )
  })

  test.each(['0.0.0.0', '::', '192.168.1.7', 'example.com'])(
    '%s is refused: nobody would be asked who they are',
    async (host) => {
      const made = await Kernel.create([use(http, { port: 0, host })])
      expect(made.ok ? undefined : made.error).toMatchObject({ error: { code: 'NOT_LOOPBACK' } })
    },
  )

  test('unless it is allowed, which the log tells', async () => {
    await using server = await serving([], { host: '0.0.0.0', allowUnauthenticated: true })
    expect(server.lines).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'http.open' }),
    )
    expect(
      await raw(
        server.port,
        'GET / HTTP/1.1\r\nhost: agent.example.com\r\nconnection: close\r\n\r\n',
      ),
    ).toMatch(/^HTTP\/1.1 404/)
  })
})

describe('pages of others', () => {
  const post = (server: Running, headers: Readonly<Record<string, string>>) =>
    raw(
      server.port,
      `POST /x HTTP/1.1\r\n${Object.entries({
        host: `127.0.0.1:${server.port}`,
        connection: 'close',
        'content-length': '0',
        ...headers,
      })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    )
  const mounted = () => serving([use(mounting('x', (t) => t.mount('/x', text('reached'))))])

  test.each([
    'localhost',
    'localhost:9000',
    '127.0.0.1',
    '127.8.8.8:1',
    '[::1]:3847',
    'agent.localhost',
  ])('host %s is ours', async (host) => {
    await using server = await mounted()
    expect(await post(server, { host })).toMatch(/^HTTP\/1.1 200.*reached/s)
  })

  test.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'localhost.',
    '0.0.0.0',
    '169.254.1.1',
    '[fe80::1]',
    '127.0.0.1@evil.example',
  ])('host %s is not', async (host) => {
    await using server = await mounted()
    const answer = await post(server, { host })
    expect(answer).toMatch(/^HTTP\/1.1 40[03]/)
    expect(answer).not.toContain('reached')
  })

  test('the origin must be the server itself', async () => {
    await using server = await mounted()
    expect(await post(server, { origin: `http://127.0.0.1:${server.port}` })).toContain('reached')
    for (const origin of [
      'http://evil.example',
      'null',
      `http://localhost:${server.port}`,
      'http://127.0.0.1',
      'file://',
      `ftp://127.0.0.1:${server.port}`,
    ]) {
      expect(await post(server, { origin })).toMatch(
        /^HTTP\/1.1 403.*FORBIDDEN_ORIGIN.*`cors\.origins` of the plugin \\"http\\" in amodal\.json/s,
      )
    }
  })

  test('every answer carries security headers, and a handler may set its own', async () => {
    await using server = await serving([
      use(
        mounting('pages', (t) => {
          t.mount('/page', {
            fetch: () =>
              new Response('<p>', { headers: { 'content-security-policy': "default-src 'self'" } }),
          })
          t.mount('/away', { fetch: () => Response.redirect('http://localhost/page') })
        }),
      ),
    ])
    for (const path of ['/page', '/away', '/nothing']) {
      const { headers } = await server.get(path, { redirect: 'manual' })
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('DENY')
    }
    expect((await server.get('/page')).headers.get('content-security-policy')).toBe(
      "default-src 'self'",
    )
  })
})

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

  test('an encoding that is not decoded is refused by its name, and one that is not what it is said to be as well', async () => {
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

  test('a request that does not arrive in time is given up', async () => {
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

  test('what is no HTTP is answered as such', async () => {
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

describe('failures', () => {
  test('what a handler throws is told to the log, and to the client by an id only', async () => {
    const throwing = {
      fetch: () => {
        throw new Error('password=hunter2')
      },
    }
    await using server = await serving([
      use(
        mounting('bad', (t) => {
          t.mount('/throws', throwing)
          t.mount('/defect', { fetch: () => failed(failure('PLUGIN_FAILED', 'password=hunter2')) })
        }),
      ),
    ])
    for (const path of ['/throws', '/defect']) {
      const response = await server.get(path)
      expect(response.status).toBe(500)
      const { code, message } = await errorOf(response)
      expect(code).toBe('INTERNAL')
      expect(message).not.toContain('hunter2')
      const id = /[\da-f-]{36}/.exec(message)?.[0]
      expect(server.lines).toContainEqual(
        expect.objectContaining({
          level: 'error',
          event: 'http.failed',
          data: expect.objectContaining({ id, path, plugin: 'bad' }),
        }),
      )
    }
  })

  test('a handler that never answers is given up, and told so', async () => {
    let aborted = false
    await using server = await serving(
      [
        use(
          mounting('hangs', (t) =>
            t.mount('/hangs', {
              fetch: (_request, { signal }) =>
                new Promise(() =>
                  signal.addEventListener('abort', () => {
                    aborted = true
                  }),
                ),
            }),
          ),
        ),
      ],
      { answerTimeoutMs: 100 },
    )
    const response = await server.get('/hangs')
    expect(response.status).toBe(504)
    expect(await errorOf(response)).toMatchObject({ code: 'TIMEOUT' })
    expect(aborted).toBe(true)
  })

  test('a handler hears of a client that left', async () => {
    const [begun, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await using server = await serving([
      use(
        mounting('waits', (t) =>
          t.mount('/waits', {
            fetch: (_request, { signal }) =>
              new Promise<Response>((resolve) => {
                signal.addEventListener('abort', () => {
                  left.resolve()
                  resolve(new Response())
                })
                begun.resolve()
              }),
          }),
        ),
      ),
    ])
    const stop = new AbortController()
    const response = server.get('/waits', { signal: stop.signal }).catch(() => undefined)
    await begun.promise
    stop.abort()
    await response
    await left.promise
  })

  test('codes have the statuses that clients expect', () => {
    expect(
      (
        [
          'VALIDATION_ERROR',
          'SESSION_NOT_FOUND',
          'SESSION_EXPIRED',
          'MESSAGE_CONFLICT',
          'KERNEL_CLOSED',
          'MODEL_TIMEOUT',
          'INTERNAL',
          'BAD_VALUE',
        ] as const
      ).map(statusOf),
    ).toEqual([400, 404, 410, 409, 503, 504, 500, 500])
  })
})

describe('leaving', () => {
  test('what is under way is finished, and nothing new begins', async () => {
    const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const server = await serving([
      use(
        mounting('slow', (t) =>
          t.mount('/slow', {
            fetch: async () => {
              begun.resolve()
              await release.promise
              return new Response('finished')
            },
          }),
        ),
      ),
    ])
    const asked = server.get('/slow')
    await begun.promise
    const closed = server.kernel.close()
    await server.refusing()
    await expect(server.get('/slow')).rejects.toThrow()
    release.resolve()
    expect(await (await asked).text()).toBe('finished')
    await closed
  })

  test('idle connections do not hold it up', async () => {
    const server = await serving([use(mounting('x', (t) => t.mount('/x', text('x'))))])
    await (await server.get('/x')).text() // kept alive by the client
    // opened ahead of any request
    const ready = createConnection({ port: server.port, host: '127.0.0.1' })
    await once(ready, 'connect')
    const start = performance.now()
    await server.kernel.close()
    expect(performance.now() - start).toBeLessThan(30_000)
    ready.destroy()
  })
})
