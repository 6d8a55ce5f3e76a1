import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import auth from '@amodal/plugin-auth'
import http from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import { pluginContract } from '@amodal/sdk/testing'
import { explain, Kernel, unwrap, use } from '@amodal/sdk'
import studio from '../src/index.ts'
import { BUILT } from '../ui/build-config.ts'

pluginContract(studio, { with: [use(http, { port: 0 })] })

/** A server where nobody gets in without a key. */
async function serve() {
  const key = `amodal_${'a'.repeat(12)}_${'b'.repeat(43)}`
  const entries = [
    use(secretsEnv, { env: {}, masterKey: 'memory' }),
    use(outbound),
    use(http, { port: 0 }),
    use(auth, { database: false, keys: [{ key }] }),
    use(studio),
  ]
  const kernel = unwrap(await Kernel.create(entries), explain)
  const address = kernel.scope.get(HttpApp).address()
  const url = `http://${address?.host}:${address?.port}`
  return {
    get: (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, init),
    [Symbol.asyncDispose]: () => kernel.close('test').then(() => undefined),
  }
}

test('strangers get the page and what it is made of, and nothing else', async () => {
  await using server = await serve()
  const page = await server.get('/')
  expect([
    page.status,
    page.headers.get('content-type'),
    page.headers.get('cache-control'),
  ]).toEqual([200, 'text/html; charset=utf-8', 'no-cache'])
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
  )
  expect(policy).not.toMatch(/unsafe|https?:/)
  for (const closed of ['base-uri', 'form-action', 'frame-ancestors'])
    expect(policy).toContain(`${closed} 'none'`)
  const html = await page.text()
  // nothing inline, nothing from elsewhere
  expect(html).not.toMatch(/<script(?![^>]* src=)|<style|style=|https?:/)

  const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  expect(parts.map((path) => path.replace(/-[\w-]{8}\./, '-*.'))).toEqual([
    '/studio/icon-*.svg',
    '/studio/studio-*.js',
    '/studio/index-*.css',
  ])
  const answers = await Promise.all(parts.map((path) => server.get(path)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual([
    'image/svg+xml',
    'text/javascript; charset=utf-8',
    'text/css; charset=utf-8',
  ])
  expect(new Set(answers.map(({ headers }) => headers.get('cache-control')))).toEqual(
    new Set(['public, max-age=31536000, immutable']),
  )

  for (const [path, status] of [
    ['/studio/none.js', 404],
    ['/studio/../package.json', 401],
    ['/studio/%2e%2e%2fpackage.json', 404],
    ['/studio/none/index.html', 404],
    ['/none', 401],
    ['/index.html', 401],
  ] as const) {
    expect([path, (await server.get(path)).status]).toEqual([path, status])
  }
  expect((await server.get('/', { method: 'POST', body: '{}' })).status).toBe(405)
})

test('the address without a place, as links of notices begin, is the page as well', async () => {
  await using server = await serve()
  const page = await (await server.get('/')).text()
  for (const path of ['/studio', '/studio/']) {
    const response = await server.get(path)
    expect([path, response.status, await response.text()]).toEqual([path, 200, page])
  }
})

test('a browser that has the page asks for it without getting it twice', async () => {
  await using server = await serve()
  const etag = (await server.get('/')).headers.get('etag') ?? ''
  const again = await server.get('/', { headers: { 'if-none-match': etag } })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('the first view loads in less than 180 KB: scripts, styles and the typeface', async () => {
  await using server = await serve()
  const html = await (await server.get('/')).text()
  const first = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  const script = first.find((path) => path.endsWith('.js')) ?? ''
  // what a module imports by its name is loaded with it
  const code = await (await server.get(script)).text()
  const imported = [...code.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)].map(
    ([, name = '']) => `/studio/${name}`,
  )
  const typeface = (await readdir(BUILT)).filter((name) => /^inter-latin-wght/.test(name))
  expect(typeface).toHaveLength(1)
  const paths = ['/', ...first, ...imported, ...typeface.map((name) => `/studio/${name}`)]
  const sent = await Promise.all(
    paths.map(async (path) => {
      const { status, headers } = await server.get(path, {
        headers: { 'accept-encoding': 'gzip' },
      })
      expect([path, status]).toEqual([path, 200])
      return headers
    }),
  )
  expect(
    sent.reduce((sum, headers) => sum + Number(headers.get('content-length')), 0),
  ).toBeLessThan(180_000)
})
