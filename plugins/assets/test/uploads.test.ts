/** Files that come over HTTP: which are taken, and as what. */

import { createHash } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { JPEG, PDF, PNG, SAMPLES } from './support/samples.ts'
import { idIn, serving, type Serving } from './support/serving.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const codeOf = ({ body }: { readonly body: unknown }): unknown =>
  (body as { readonly error?: { readonly code?: unknown } }).error?.code // of an answer

test('there are a hundred samples', () => expect(SAMPLES.length).toBeGreaterThanOrEqual(100))

describe.each([{ memory: true }, { memory: false }])('kept in memory: $memory', ({ memory }) => {
  let server: Serving
  beforeAll(async () => {
    server = await serving({ memory, lasting: true })
    return () => server.close()
  })

  test.each(SAMPLES)('$what: $comes', async ({ bytes, said, comes }) => {
    const sent = await server.upload(bytes, said, '?name=sample.bin')
    if (!comes.includes('/')) {
      expect(codeOf(sent)).toBe(comes)
      expect(sent.status).toBe(comes === 'VALIDATION_ERROR' ? 400 : 415)
      return
    }
    expect(sent.status).toBe(201)
    expect(sent.body['assets']).toMatchObject([
      { id: sha256(bytes), media_type: comes, bytes: bytes.byteLength, name: 'sample.bin' },
    ])
    const back = await server.call(`/assets/${sha256(bytes)}`)
    expect(back.bytes.equals(bytes)).toBe(true)
    expect(back.headers.get('content-type')?.split(';')[0]).toBe(comes)
  })
})

test('a file comes back to be saved, and no browser shows or runs it', async () => {
  const server = await serving()
  const id = await server.kept('<script>alert(1)</script>', 'text/html', 'Käse "5"/../x.html')
  const { status, headers, bytes } = await server.call(`/assets/${id}`)
  expect(status).toBe(200)
  expect(bytes.toString()).toBe('<script>alert(1)</script>')
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-disposition': 'attachment; filename="x.html"; filename*=UTF-8\'\'x.html',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  })
  const head = await server.call(`/assets/${id}`, { method: 'HEAD' })
  expect(head.status).toBe(200)
  expect(head.headers.get('content-length')).toBe('25')
})

describe('limits', () => {
  test('of one file, said or not said how long it is: what is too much is not read', async () => {
    const server = await serving({ config: { maxFileBytes: 1_000 }, memory: true })
    expect((await server.upload('x'.repeat(1_000), 'text/plain')).status).toBe(201)
    const over = await server.upload('x'.repeat(1_001), 'text/plain')
    expect(over).toMatchObject({ status: 413 })
    expect(codeOf(over)).toBe('ASSET_TOO_LARGE')
    let given = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        given++
        controller.enqueue(new Uint8Array(10_000).fill(0x61))
        if (given > 10_000) controller.close()
      },
    })
    const sent = server.call('/assets', {
      method: 'POST',
      body: endless,
      headers: { 'content-type': 'text/plain' },
      duplex: 'half',
    } as RequestInit)
    const told = await sent.catch((error: unknown) => error)
    if (told instanceof Error) expect(told.message).toMatch(/fetch failed/)
    else expect(told).toMatchObject({ status: 413 })
    expect(given).toBeLessThan(1_000)
  })

  test('of an image, which providers refuse sooner', async () => {
    const server = await serving({ config: { maxImageBytes: 100 }, memory: true })
    expect((await server.upload(PNG, 'image/png')).status).toBe(201)
    const over = await server.upload(Buffer.concat([PNG, Buffer.alloc(31)]), 'image/png')
    expect(codeOf(over)).toBe('ASSET_TOO_LARGE')
    expect((await server.upload('x'.repeat(500), 'text/plain')).status).toBe(201)
  })

  test('of a tenant: what it has already takes no further room', async () => {
    const server = await serving({ config: { maxTenantBytes: 1_500 } })
    await server.kept('a'.repeat(1_000))
    await server.kept('a'.repeat(1_000))
    const full = await server.upload('b'.repeat(1_000))
    expect(full.status).toBe(507)
    expect(codeOf(full)).toBe('ASSETS_FULL')
    expect((await server.upload('b'.repeat(1_000), '', '', 'eve')).status).toBe(201)
    await server.call(`/assets/${sha256(Buffer.from('a'.repeat(1_000)))}`, { method: 'DELETE' })
    expect((await server.upload('b'.repeat(1_000))).status).toBe(201)
  })
})

describe('a hash that the client says', () => {
  test.each<[string, (hash: string) => readonly [string, Readonly<Record<string, string>>]]>([
    ['?sha256=', (hash: string) => [`?sha256=${hash}`, {}]],
    [
      'Repr-Digest',
      (hash: string) => [
        '',
        { 'repr-digest': `sha-256=:${Buffer.from(hash, 'hex').toString('base64')}:` },
      ],
    ],
    [
      'Content-Digest beside another',
      (hash: string) => [
        '',
        {
          'content-digest': `sha-512=:AAAA:, sha-256=:${Buffer.from(hash, 'hex').toString('base64')}:`,
        },
      ],
    ],
  ])('%s: is compared', async (_what, say) => {
    const server = await serving({ memory: true })
    const send = (hash: string) => {
      const [query, headers] = say(hash)
      return server.call(`/assets${query}`, {
        method: 'POST',
        body: PNG,
        headers: { 'content-type': 'image/png', ...headers },
      })
    }
    expect((await send(sha256(PNG))).status).toBe(201)
    const other = await send(sha256(JPEG))
    expect(other.status).toBe(422)
    expect(codeOf(other)).toBe('ASSET_DAMAGED')
  })

  test('one that is none is refused', async () => {
    const server = await serving({ memory: true })
    expect((await server.upload(PNG, 'image/png', '?sha256=abc')).status).toBe(400)
  })
})

test('an upload that is cut leaves nothing, and the server goes on', async () => {
  const server = await serving()
  const { hostname, port } = new URL(server.url)
  const cut = httpRequest({
    hostname,
    port,
    path: '/assets',
    method: 'POST',
    headers: {
      authorization: server.credential('ann'),
      'content-type': 'text/plain',
      'content-length': '1000',
    },
  })
  const over = new Promise((resolve) => cut.once('close', resolve))
  cut.on('error', () => undefined)
  cut.write('half of it')
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  cut.destroy()
  await over
  expect((await server.upload('whole', 'text/plain')).status).toBe(201)
  const half = sha256(Buffer.from('half of it'))
  expect((await server.call(`/assets/${half}`)).status).toBe(404)
})

test('a form may have several files, each with its name', async () => {
  const server = await serving({ memory: true })
  const form = new FormData()
  form.append('file', new Blob([PNG], { type: 'image/png' }), 'a.png')
  form.append('more', new Blob(['words'], { type: 'text/plain' }), 'b.txt')
  form.append('note', 'no file')
  const { status, body } = await server.call('/assets', { method: 'POST', body: form })
  expect(status).toBe(201)
  expect(body['assets']).toMatchObject([
    { media_type: 'image/png', name: 'a.png' },
    { media_type: 'text/plain', name: 'b.txt' },
  ])
  const none = await server.call('/assets', { method: 'POST', body: new FormData() })
  expect(none.status).toBe(400)
})

describe('whose a file is', () => {
  test('another tenant gets the answer of an unknown id, whatever it asks', async () => {
    const server = await serving()
    const id = await server.kept('secret of acme', 'text/plain')
    const unknown = 'f'.repeat(64)
    for (const method of ['GET', 'DELETE']) {
      const [theirs, none] = await Promise.all(
        [id, unknown].map((one) => server.call(`/assets/${one}`, { method }, 'eve')),
      )
      expect([theirs?.status, theirs?.bytes]).toEqual([404, none?.bytes])
    }
    const [theirs, none] = await Promise.all(
      [id, unknown].map((one) => server.say('look', { assets: [one] }, 'eve')),
    )
    expect([theirs?.status, theirs?.bytes]).toEqual([404, none?.bytes])
    expect((await server.call(`/assets/${id}`)).bytes.toString()).toBe('secret of acme')
  })

  test('the same content twice is one, and goes with the last who has sent it', async () => {
    const server = await serving()
    const id = await server.kept('the same', 'text/plain', 'ann.txt')
    expect(await server.kept('the same', 'text/markdown', 'bob.md', 'bob')).toBe(id)
    expect(await server.kept('the same', 'text/plain', 'ann2.txt')).toBe(id)
    expect(await server.count('assets_content')).toBe(1)
    const nameOf = async (who: 'ann' | 'bob') =>
      (await server.call(`/assets/${id}`, {}, who)).headers.get('content-disposition')
    expect(await nameOf('ann')).toContain('ann2.txt')
    expect(await nameOf('bob')).toContain('bob.md')
    expect((await server.call(`/assets/${id}`, { method: 'DELETE' }, 'ann')).status).toBe(204)
    expect((await server.call(`/assets/${id}`, { method: 'DELETE' }, 'ann')).status).toBe(404)
    expect((await server.call(`/assets/${id}`, {}, 'bob')).status).toBe(200)
    expect((await server.call(`/assets/${id}`, { method: 'DELETE' }, 'bob')).status).toBe(204)
    expect((await server.call(`/assets/${id}`, {}, 'bob')).status).toBe(404)
    for (const table of ['content', 'chunk', 'claim'])
      expect(await server.count(`assets_${table}`)).toBe(0)
  })

  test('where callers see their own sessions only, they have their own files only', async () => {
    const server = await serving({ own: true })
    const id = await server.kept('of ann', 'text/plain')
    const unknown = 'f'.repeat(64)
    const [theirs, none] = await Promise.all(
      [id, unknown].map((one) => server.call(`/assets/${one}`, {}, 'bob')),
    )
    expect([theirs?.status, theirs?.bytes]).toEqual([404, none?.bytes])
    expect((await server.say('look', { assets: [id] }, 'bob')).status).toBe(404)
    expect(await server.kept('of ann', 'text/plain', 'x', 'bob')).toBe(id)
    expect((await server.say('look', { assets: [id] }, 'bob')).status).toBe(200)
  })

  test('without a credential there is nothing', async () => {
    const server = await serving({ memory: true })
    expect((await fetch(`${server.url}/assets/${'a'.repeat(64)}`)).status).toBe(401)
    expect((await fetch(`${server.url}/assets`, { method: 'POST', body: 'x' })).status).toBe(401)
  })
})

test('a hundred uploads at once, half of them the same, are all kept', async () => {
  const server = await serving()
  const sent = await Promise.all(
    Array.from({ length: 100 }, (_, n) => server.upload(`file ${n % 50}`, 'text/plain')),
  )
  expect(sent.map(({ status }) => status)).toEqual(Array(100).fill(201))
  expect(new Set(sent.map(({ body }) => idIn(body))).size).toBe(50)
  expect(await server.count('assets_content')).toBe(50)
})

test('a large file comes back as it was', async () => {
  const server = await serving()
  const large = Buffer.concat([PDF, Buffer.alloc(5_000_000, 'abc')])
  const id = await server.kept(large, 'application/pdf')
  expect((await server.call(`/assets/${id}`)).bytes.equals(large)).toBe(true)
  expect(await server.count('assets_chunk')).toBe(10)
}, 120_000)
