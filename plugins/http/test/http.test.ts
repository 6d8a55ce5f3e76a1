import { once } from 'node:events'
import { createConnection } from 'node:net'
import { describe, expect, test } from 'vitest'
import { explain, failure, Kernel, use } from '@amodal/sdk'
import { statusOf } from '@amodal/sdk/wire'
import { http } from '../src/index.ts'
import { failed, HttpApp } from '../src/tokens.ts'
import { errorOf, mounting, raw, type Running, serving } from './server.ts'

const text = (body: string) => ({ fetch: () => new Response(body) })

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

  test('a parameter matches any segment, and a literal segment wins over it', async () => {
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
    const created = await Kernel.create([
      use(http, { port: 0 }),
      use(mounting('a', (t) => t.mount('/x', text('a')))),
      use(mounting('b', (t) => t.mount('/x', text('b')))),
    ])
    expect(created.ok ? undefined : created.error).toMatchObject({
      error: { code: 'DUPLICATE_NAME' },
    })
    expect(created.ok ? '' : explain(created.error)).toMatch(/a and b both mount \/x/)
  })

  test('the error of an invalid prefix names the plugin', async () => {
    const created = await Kernel.create([
      use(http, { port: 0 }),
      use(mounting('odd', (t) => t.mount('/x/*', text('')))),
    ])
    expect(created.ok ? '' : explain(created.error)).toMatch(
      /"\/x\/\*" is not a prefix.*\n +where: the plugin odd/,
    )
  })

  test('a path that is not mounted is not found', async () => {
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

describe('the address', () => {
  test('a port in use is named, with what to do', async () => {
    await using server = await serving([])
    const created = await Kernel.create([use(http, { port: server.port })])
    expect(created.ok ? undefined : created.error).toMatchObject({
      kind: 'plugin',
      error: { code: 'PORT_IN_USE' },
    })
    expect(created.ok ? '' : explain(created.error)).toMatch(
      new RegExp(
        `port ${server.port} on 127.0.0.1 is in use: stop the other process, or choose another port with --port`,
      ),
    )
  })

  test.each(['0.0.0.0', '::', '192.168.1.7', 'example.com'])(
    '%s is refused: its requests would not be authenticated',
    async (host) => {
      const created = await Kernel.create([use(http, { port: 0, host })])
      expect(created.ok ? undefined : created.error).toMatchObject({
        error: { code: 'NOT_LOOPBACK' },
      })
    },
  )

  test('unless it is allowed, which is logged', async () => {
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

describe('cross-origin pages', () => {
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

  test('every response has security headers, and a handler may set its own', async () => {
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

describe('failures', () => {
  test('an exception of a handler is logged, and the client receives its id only', async () => {
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

  test('a handler that never responds is aborted at its deadline', async () => {
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

  test('the signal of a handler aborts when the client disconnects', async () => {
    const [begun, disconnected] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await using server = await serving([
      use(
        mounting('waits', (t) =>
          t.mount('/waits', {
            fetch: (_request, { signal }) =>
              new Promise<Response>((resolve) => {
                signal.addEventListener('abort', () => {
                  disconnected.resolve()
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
    await disconnected.promise
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
      ).map((code) => statusOf(code)),
    ).toEqual([400, 404, 410, 409, 503, 504, 500, 500])
  })
})

describe('closing', () => {
  test('requests in progress are finished, and new ones are refused', async () => {
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
    const response = server.get('/slow')
    await begun.promise
    const closed = server.kernel.close()
    await server.refusing()
    await expect(server.get('/slow')).rejects.toThrow()
    release.resolve()
    expect(await (await response).text()).toBe('finished')
    await closed
  })

  test('idle connections do not delay it', async () => {
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
