import { readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as pack from './pack.ts'
import { contentsOf, KEYS, leftovers, processesOf, served, type Served } from './server.ts'

const signal = AbortSignal.timeout(600_000)
const TEAM = { tenant: 'acme', repo: 'team' }

let server: Served
beforeAll(async () => {
  server = await served()
})
afterAll(() => server[Symbol.asyncDispose]())

const basic = (token: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`token:${token}`).toString('base64')}`,
})
const refs = (org: string, headers: Record<string, string>): Promise<Response> =>
  fetch(`${server.origin}/v1/${org}/tool/git/tools.git/info/refs?service=git-upload-pack`, {
    headers,
  })

describe('a client of git', () => {
  test('clones, pushes, and another clone has it', async () => {
    const clone = await server.clone({ 'check_order/tool.json': '{}' })
    expect(await readFile(join(clone, 'README.md'), 'utf8')).toContain('# Tools')
    await server.done(['push', '--quiet', 'origin', 'main'], { cwd: clone })
    const other = await server.clone()
    expect(await readFile(join(other, 'check_order/tool.json'), 'utf8')).toBe('{}')
    await writeFile(join(clone, 'second.txt'), 'second')
    await server.done(['add', '.'], { cwd: clone })
    await server.done(['commit', '--quiet', '-m', 'Add second'], { cwd: clone })
    await server.done(['push', '--quiet', 'origin', 'main', 'main:refs/heads/releases/acme'], {
      cwd: clone,
    })
    await server.done(['fetch', '--quiet', 'origin'], { cwd: other })
    const log = await server.done(['log', '--format=%s', 'origin/releases/acme'], { cwd: other })
    expect(log.trim().split('\n')).toEqual(['Add second', 'Add files', 'Add the first page'])
  })

  test('fetches by version 2 of the protocol', async () => {
    const traced = await server.done(['ls-remote', server.url()], {
      env: { GIT_TRACE_PACKET: '1' },
    })
    expect(traced).toContain('git< version 2')
    const older = await server.done(['-c', 'protocol.version=0', 'ls-remote', server.url()], {
      env: { GIT_TRACE_PACKET: '1' },
    })
    expect(older).not.toContain('version 2')
    expect(older).toContain('refs/heads/main')
  })

  test('clones a part of the history, and without the contents of files', async () => {
    const clone = await server.clone({ 'shallow/a.txt': 'a' })
    await server.done(['push', '--quiet', 'origin', 'main:deep'], { cwd: clone })
    const shallow = join(server.work, 'shallow')
    await server.done(['clone', '-q', '--depth=1', '--branch=deep', server.url(), shallow])
    expect((await server.done(['rev-list', '--count', 'HEAD'], { cwd: shallow })).trim()).toBe('1')
    const partial = join(server.work, 'partial')
    await server.done(['clone', '-q', '--filter=blob:none', '--bare', server.url(), partial])
    const missing = await server.done(['rev-list', '--objects', '--missing=print', '--all'], {
      cwd: partial,
    })
    expect(missing).toMatch(/^\?[0-9a-f]{40}$/m)
  })

  test('sends a large push in parts', async () => {
    const clone = await server.clone({ 'large/data.bin': randomBytes(4_000_000).toString('hex') })
    const pushed = await server.done(['push', 'origin', 'main:large'], {
      cwd: clone,
      env: { GIT_CURL_VERBOSE: '1' },
    })
    expect(pushed).toMatch(/transfer-encoding: chunked/i)
    const head = await server.repos.head(TEAM as never, 'large', signal)
    expect(head.ok && head.value).toBe(
      (await server.done(['rev-parse', 'HEAD'], { cwd: clone })).trim(),
    )
  })
})

describe('a credential', () => {
  test('is asked for as git understands it', async () => {
    const response = await refs('acme', {})
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="amodal", Basic realm="amodal", charset="UTF-8"',
    )
    const anonymous = await server.git(['ls-remote', `${server.origin}/v1/acme/tool/git/tools.git`])
    expect(anonymous.code).toBe(128)
    expect(anonymous.text).toContain('could not read Username')
  })

  test('is a key as the password, or as a header', async () => {
    expect((await refs('acme', basic(KEYS.anna))).status).toBe(200)
    const url = `${server.origin}/v1/acme/tool/git/tools.git`
    const header = `http.extraHeader=Authorization: Bearer ${KEYS.anna}`
    expect(await server.done(['-c', header, 'ls-remote', url])).toContain('refs/heads/main')
  })

  test('that is wrong is refused, and git does not retry with it', async () => {
    const wrong = server.url().replace(KEYS.anna, `${KEYS.anna.slice(0, -1)}x`)
    const refused = await server.git(['ls-remote', wrong])
    expect(refused.code).toBe(128)
    expect(refused.text).toContain('Authentication failed')
  })

  test('without the scope is refused', async () => {
    const response = await refs('acme', basic(KEYS.chat))
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: { code: 'FORBIDDEN_SCOPE' } })
  })

  test('of another organization gets what an unknown one gets', async () => {
    const [foreign, unknown] = await Promise.all([
      refs('beta', basic(KEYS.anna)),
      refs('nowhere', basic(KEYS.anna)),
    ])
    expect([foreign.status, unknown.status]).toEqual([404, 404])
    expect(await foreign.text()).toBe(await unknown.text())
    expect((await server.git(['ls-remote', server.url('anna', 'beta')])).code).toBe(128)
    await server.done(['ls-remote', server.url('bert', 'beta')])
  })

  test.each([{ origin: '__OWN__' }, { 'sec-fetch-site': 'cross-site' }])(
    'as a password is not taken from a browser: %j',
    async (headers) => {
      const own = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          value.replace('__OWN__', server.origin),
        ]),
      )
      const status = await new Promise<number | undefined>((resolve, reject) => {
        request(
          `${server.origin}/v1/acme/tool/git/tools.git/info/refs?service=git-upload-pack`,
          { headers: { ...basic(KEYS.anna), ...own } },
          (response) => {
            response.resume()
            resolve(response.statusCode)
          },
        )
          .on('error', reject)
          .end()
      })
      expect(status).toBe(401)
    },
  )

  test('as a password is taken by these routes alone', async () => {
    const response = await fetch(`${server.origin}/v1/acme/other`, { headers: basic(KEYS.anna) })
    expect(response.status).toBe(401)
  })
})

describe('the repository main', () => {
  test('is read by every tenant, and pushed to by who runs the server', async () => {
    const main = (who: 'anna' | 'operator', org = 'acme'): string => server.url(who, org, 'main')
    const clone = await server.clone({ 'shared/tool.json': '{}' }, main('anna'))
    const refused = await server.git(['push', 'origin', 'main'], { cwd: clone })
    expect(refused.code).not.toBe(0)
    expect(refused.text).toContain('403')
    await server.done(['push', '--quiet', main('operator'), 'main'], { cwd: clone })
    const other = await server.clone({}, server.url('bert', 'beta', 'main.git'))
    expect(await readFile(join(other, 'shared/tool.json'), 'utf8')).toBe('{}')
  })
})

describe('a request', () => {
  const post = (
    name: string,
    body: Uint8Array<ArrayBuffer> | string,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(`${server.origin}/v1/acme/tool/git/tools.git/${name}`, {
      method: 'POST',
      body,
      headers: { ...basic(KEYS.anna), 'content-type': `application/x-${name}-request`, ...headers },
    })

  test('may be encoded with gzip', async () => {
    const listing = '0014command=ls-refs\n0001' + '0009peel\n' + '0000'
    const response = await post('git-upload-pack', new Uint8Array(gzipSync(listing)), {
      'content-encoding': 'gzip',
      'git-protocol': 'version=2',
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/x-git-upload-pack-result')
    expect(await response.text()).toContain('refs/heads/main')
  })

  test.each([
    ['git-upload-pack', 'zzzz'],
    ['git-upload-pack', '0032want 0000000000000000000000000000000000000000\n0000'],
    ['git-receive-pack', 'zzzz'],
    ['git-receive-pack', '0003'],
    ['git-receive-pack', '00ff'],
    ['git-receive-pack', '0009hello0000'],
  ])('that is no request of git is refused: %s %j', async (name, body) => {
    const response = await post(name, body)
    const text = await response.text()
    expect(response.status === 400 || text.includes('ERR')).toBe(true)
  })

  test('of another type is refused, such as the form of a page', async () => {
    const response = await post('git-receive-pack', '0000', { 'content-type': 'text/plain' })
    expect(response.status).toBe(415)
  })

  test.each(['info/refs', 'info/refs?service=git-shell', 'objects/info/packs', 'HEAD', 'config'])(
    'for a file of the repository finds nothing: %s',
    async (path) => {
      const response = await fetch(`${server.origin}/v1/acme/tool/git/tools.git/${path}`, {
        headers: basic(KEYS.anna),
      })
      expect([400, 404]).toContain(response.status)
    },
  )

  test.each(['..', '%2e%2e', '.git', '..%2f..%2fetc', 'a%00b'])(
    'names no folder of the server: %s',
    async (name) => {
      const before = (await readdir(server.folder)).toSorted()
      const response = await fetch(
        `${server.origin}/v1/acme/tool/git/${name}/info/refs?service=git-upload-pack`,
        { headers: basic(KEYS.anna) },
      )
      // 401: clients resolve dots, and on the path that results no password is taken
      expect([401, 404]).toContain(response.status)
      expect((await readdir(server.folder)).toSorted()).toEqual(before)
    },
  )
})

test('no file of a repository can be run, or read by other users', async () => {
  const folder = server.folderOf('acme')
  expect((await readdir(folder)).includes('hooks')).toBe(false)
  expect((await stat(join(folder, '..'))).mode & 0o077).toBe(0)
})

test('a client that hangs up ends its git process', async () => {
  await using other = await served()
  await other.done(['ls-remote', other.url()])
  const call = request(`${other.origin}/v1/acme/tool/git/tools.git/git-upload-pack`, {
    method: 'POST',
    headers: {
      ...basic(KEYS.anna),
      'content-type': 'application/x-git-upload-pack-request',
      'git-protocol': 'version=2',
    },
  })
  call.on('error', () => undefined)
  call.write('0014command=ls-refs\n')
  const children = (): Promise<number> => processesOf('upload-pack', other.folder)
  await expect.poll(children, { timeout: 10_000 }).toBeGreaterThan(0)
  call.destroy()
  await expect.poll(children, { timeout: 10_000 }).toBe(0)
})

test('a client that hangs up during a push leaves nothing of it', async () => {
  await using other = await served()
  await other.done(['ls-remote', other.url()])
  const before = await contentsOf(other.folder)
  const call = request(`${other.origin}/v1/acme/tool/git/tools.git/git-receive-pack`, {
    method: 'POST',
    headers: { ...basic(KEYS.anna), 'content-type': 'application/x-git-receive-pack-request' },
  })
  call.on('error', () => undefined)
  const object = pack.blob(randomBytes(1_000_000))
  const objects = pack.packOf(object)
  call.write(pack.line(`${'0'.repeat(40)} ${pack.idOf(object)} refs/heads/half\0 report-status`))
  call.write('0000')
  call.write(objects.subarray(0, objects.byteLength / 2))
  const stored = async (): Promise<boolean> =>
    (await leftovers(other)).some((path) => path.includes('tmp_pack_'))
  await expect.poll(stored, { timeout: 20_000 }).toBe(true)
  call.destroy()
  await expect.poll(() => contentsOf(other.folder), { timeout: 20_000 }).toEqual(before)
  await other.done(['ls-remote', other.url()])
})
