/** Files that the server fetches by their address: what is fetched, and what of it is stored. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@amodal/sdk/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { JPEG, OPUS, PDF, PNG, WEBP } from './support/samples.ts'
import { idIn, serving, type Heard, type Serving, type ServingOptions } from './support/serving.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

interface Site {
  readonly url: string
  /** Paths that were requested, with their queries. */
  readonly requests: string[]
}

/** A server on loopback that answers by path. */
async function site(answers: Readonly<Record<string, Answer>>): Promise<Site> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const answer = answers[request.url?.split('?', 1)[0] ?? '']
    if (answer) answer(request, response)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // of a socket that listens
  return { url: `http://127.0.0.1:${port}`, requests }
}

const file =
  (bytes: Uint8Array | string, type = 'application/octet-stream'): Answer =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': type }).end(bytes)
const redirect =
  (to: string): Answer =>
  (_request, response) =>
    response.writeHead(302, { location: to }).end()

const reaching = (site: Site, options: ServingOptions = {}): Promise<Serving> =>
  serving({ memory: true, privateOrigins: [site.url], ...options })
const codeOf = ({ status, body }: Heard): readonly [number, unknown] => [
  status,
  (body['error'] as { readonly code?: unknown } | undefined)?.code, // of an answer
]

test('a file is fetched, goes to the model, and nothing of its address is stored but its name', async () => {
  const secret = 'token-of-a-signed-address'
  const remote = await site({
    '/files/dot%20one.png': redirect(`/real/where.png?again=${secret}`),
    '/real/where.png': file(PNG, 'image/png'),
  })
  const server = await reaching(remote, { memory: false })
  const url = `${remote.url}/files/dot%20one.png?signature=${secret}`
  const answer = await server.post('/assets', { url })
  expect(answer.status, answer.bytes.toString()).toBe(201)
  expect(answer.body['assets']).toMatchObject([
    { media_type: 'image/png', bytes: PNG.byteLength, name: 'dot one.png' },
  ])
  expect(remote.requests).toEqual([
    `/files/dot%20one.png?signature=${secret}`,
    `/real/where.png?again=${secret}`,
  ])
  const sent = await server.say('look', { assets: [idIn(answer.body)] })
  expect(sent.status).toBe(200)
  expect(JSON.stringify(server.model.requests.at(-1)?.sent)).toContain(PNG.toString('base64'))
  const tables = await server.rows(
    "select table_name from information_schema.tables where table_schema = 'public'",
  )
  for (const { table_name: table } of tables) {
    const rows = JSON.stringify(await server.rows(`select t::text from "${String(table)}" t`))
    expect(rows, String(table)).not.toContain(secret)
    expect(rows, String(table)).not.toContain('where.png')
  }
})

test('the client lets the server fetch a file', async () => {
  const remote = await site({ '/voice': file(OPUS, 'audio/ogg') })
  const server = await reaching(remote)
  const credential = server.credential('ann').slice('Bearer '.length)
  const client = createClient({ url: server.url, credential })
  const uploaded = await client.uploadFrom(`${remote.url}/voice`, { name: 'hello.opus' })
  expect(uploaded).toMatchObject({ media_type: 'audio/ogg', name: 'hello.opus' })
  expect((await client.download(uploaded.id)).size).toBe(OPUS.byteLength)
  await expect(client.uploadFrom(`${remote.url}/none`)).rejects.toMatchObject({
    code: 'ASSET_NOT_FETCHED',
    status: 502,
  })
})

test.each<[string, Uint8Array | string, string, string]>([
  ['a picture under the wrong type of picture', WEBP, 'image/jpeg', 'image/webp'],
  ['a PDF without a type', PDF, 'application/octet-stream', 'application/pdf'],
  ['a picture declared as a text', JPEG, 'text/plain', 'ASSET_TYPE_REFUSED'],
  ['a program declared as a picture', 'MZ\u0090\0\u0003\0', 'image/png', 'ASSET_TYPE_REFUSED'],
  ['a table', 'a,b\n1,2\n', 'text/csv; charset=utf-8', 'text/csv'],
  ['a page', '<!doctype html><p>x', 'text/html', 'text/html'],
  ['nothing', '', 'text/plain', 'VALIDATION_ERROR'],
])('%s: its bytes say what it is', async (_what, bytes, type, comes) => {
  const remote = await site({ '/f': file(bytes, type) })
  const server = await reaching(remote)
  const answer = await server.post('/assets', { url: `${remote.url}/f` })
  if (comes.includes('/')) expect(answer.body['assets']).toMatchObject([{ media_type: comes }])
  else expect(codeOf(answer)[1]).toBe(comes)
})

describe('what is refused', () => {
  test.each([
    'http://127.0.0.1:1/a.png',
    'http://localhost:1/a.png',
    'http://[::1]:1/a.png',
    'http://2130706433:1/a.png',
    'http://0x7f.1:1/a.png',
    'http://[::ffff:169.254.169.254]/latest/meta-data/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'file:///etc/passwd',
    'ftp://example.com/a.png',
    'https://user:password@example.com/a.png',
  ])('%s', async (url) => {
    const server = await serving({ memory: true })
    const answer = await server.post('/assets', { url })
    expect(codeOf(answer)).toEqual([403, 'OUTBOUND_REFUSED'])
    expect(answer.bytes.toString()).not.toContain('password@')
  })

  test('what is no URL', async () => {
    const server = await serving({ memory: true })
    expect(codeOf(await server.post('/assets', { url: 'a.png' }))).toEqual([
      400,
      'VALIDATION_ERROR',
    ])
  })

  test('a redirect to an address that may not be reached', async () => {
    const inside = await site({ '/secret.txt': file('for nobody', 'text/plain') })
    const remote = await site({
      '/metadata': redirect('http://169.254.169.254/latest/meta-data/'),
      '/inside': redirect(`${inside.url}/secret.txt`),
      '/file': redirect('file:///etc/passwd'),
      '/loop': redirect('/loop'),
    })
    const server = await reaching(remote)
    for (const path of ['/metadata', '/inside', '/file', '/loop'])
      expect(codeOf(await server.post('/assets', { url: remote.url + path })), path).toEqual([
        403,
        'OUTBOUND_REFUSED',
      ])
    expect(inside.requests).toEqual([])
  })

  test('a file that is too large, declared or not: no more than the limit is read', async () => {
    let sent = 0
    const remote = await site({
      '/declared': (_request, response) =>
        response.writeHead(200, { 'content-length': '1001' }).end(Buffer.alloc(1_001, 'a')),
      '/endless': (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' })
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(10_000, 'a'))) sent += 10_000
        }
        response.on('drain', more)
        more()
      },
    })
    const server = await reaching(remote, { config: { maxFileBytes: 1_000 } })
    for (const path of ['/declared', '/endless'])
      expect(codeOf(await server.post('/assets', { url: remote.url + path }))).toEqual([
        413,
        'ASSET_TOO_LARGE',
      ])
    expect(sent).toBeLessThan(20_000_000)
  })

  test('a server that answers too late, with an error, or breaks off', async () => {
    const remote = await site({
      '/late': () => undefined,
      '/slow': (_request, response) => void response.writeHead(200).write('a'),
      '/error': (_request, response) => response.writeHead(500).end(),
      '/not-modified': (_request, response) => response.writeHead(304).end(),
      '/broken': (_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('a')
        setImmediate(() => response.destroy())
      },
    })
    const server = await reaching(remote, { config: { urlTimeoutMs: 300 } })
    const codes: Record<string, readonly [number, unknown]> = {}
    for (const path of ['/late', '/slow', '/error', '/not-modified', '/broken', '/unknown'])
      codes[path] = codeOf(await server.post('/assets', { url: `${remote.url}${path}?key=k3y` }))
    expect(codes).toEqual({
      '/late': [504, 'TIMEOUT'],
      '/slow': [504, 'TIMEOUT'],
      '/error': [502, 'ASSET_NOT_FETCHED'],
      '/not-modified': [502, 'ASSET_NOT_FETCHED'],
      '/broken': [502, 'OUTBOUND_FAILED'],
      '/unknown': [502, 'ASSET_NOT_FETCHED'],
    })
  })

  test('every address where `byUrl` is false', async () => {
    const remote = await site({ '/a.png': file(PNG) })
    const server = await reaching(remote, { config: { byUrl: false } })
    const answer = await server.post('/assets', { url: `${remote.url}/a.png` })
    expect(codeOf(answer)).toEqual([403, 'OUTBOUND_REFUSED'])
    expect(remote.requests).toEqual([])
  })

  test('callers without a credential, and those of another tenant', async () => {
    const remote = await site({ '/a.png': file(PNG) })
    const server = await reaching(remote)
    const unknown = await fetch(`${server.url}/assets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${remote.url}/a.png` }),
    })
    expect(unknown.status).toBe(401)
    expect(remote.requests).toEqual([])
    const answer = await server.post('/assets', { url: `${remote.url}/a.png` })
    const id = idIn(answer.body)
    expect((await server.call(`/assets/${id}`, {}, 'eve')).status).toBe(404)
    expect((await server.call(`/assets/${id}`, {}, 'bob')).status).toBe(200)
  })
})

describe('JSON that is a file', () => {
  const url = 'http://127.0.0.1:1/a.png'
  test.each<[string, string, string]>([
    ['with a name in the query', '?name=link.json', JSON.stringify({ url })],
    ['with further fields', '', JSON.stringify({ url, title: 'A' })],
    ['with a url that is no text', '', '{"url":5}'],
    ['a list', '', JSON.stringify([{ url }])],
    ['larger than an address', '', JSON.stringify({ url: `${url}${'a'.repeat(40_000)}` })],
    ['not JSON at all', '', '{"url":'],
  ])('%s', async (_what, query, json) => {
    const server = await serving({ memory: true })
    const answer = await server.upload(json, 'application/json', query)
    expect(answer.status, answer.bytes.toString()).toBe(201)
    expect(answer.body['assets']).toMatchObject([{ media_type: 'application/json' }])
    const back = await fetch(`${server.url}/assets/${idIn(answer.body)}`, {
      headers: { authorization: server.credential('ann') },
    })
    expect(await back.text()).toBe(json)
  })

  test('one that is too large is not read to its end', async () => {
    const server = await serving({ memory: true, config: { maxFileBytes: 50_000 } })
    const answer = await server.upload(`[${'1,'.repeat(40_000)}1]`, 'application/json')
    expect(codeOf(answer)).toEqual([413, 'ASSET_TOO_LARGE'])
  })
})
