import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as pack from './pack.ts'
import { sizeOf } from '../src/upkeep.ts'
import { contentsOf, gitsIn, KEYS, served, type Served } from './server.ts'

const NONE = '0'.repeat(40)
const BRANCH = 'refs/heads/hostile'
const FLUSH = Buffer.from('0000')

let server: Served
let head: string
/** Every file below the folder of the server, those of another tenant among them. */
let before: Readonly<Record<string, string>>
beforeAll(async () => {
  server = await served()
  const clone = await server.clone({ 'check_order/tool.json': '{}' })
  await server.done(['push', '-q', 'origin', 'main'], { cwd: clone })
  const other = await server.clone({ 'secret/tool.json': '{}' }, server.url('bert', 'beta'))
  await server.done(['push', '-q', 'origin', 'main'], { cwd: other })
  head = (await server.done(['rev-parse', 'HEAD'], { cwd: clone })).trim()
  before = await contentsOf(server.folder)
})
afterAll(() => server[Symbol.asyncDispose]())

interface Pushed {
  readonly status: number
  readonly text: string
}

/** On a connection of its own: one that is refused early is closed. */
function post(
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  { origin } = server,
): Promise<Pushed> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${origin}/v1/acme/tool/git/tools.git/git-receive-pack`,
      {
        method: 'POST',
        agent: false,
        headers: {
          authorization: `Bearer ${KEYS.anna}`,
          'content-type': 'application/x-git-receive-pack-request',
          'content-length': body.byteLength,
          ...headers,
        },
      },
      (response) => {
        const { statusCode: status = 0 } = response
        text(response).then(
          (received) => resolve({ status, text: received }),
          () => resolve({ status, text: '' }),
        )
      },
    )
    call.once('error', reject)
    call.end(body)
  })
}

const command = (to: string, ref: string): Buffer =>
  pack.line(`${NONE} ${to} ${ref}\0 report-status side-band-64k`)

const push = (to: string, objects: Buffer, ref = BRANCH, at = server): Promise<Pushed> =>
  post(Buffer.concat([command(to, ref), FLUSH, objects]), {}, at)

/** A push was refused: with a status, by git's report, or by the end of the connection. */
const isRefused = ({ status, text: report }: Pushed): boolean =>
  status >= 400 || !report.includes('unpack ok') || report.includes('ng ')

const workingIn = async ({ folder }: Served): Promise<number> => (await gitsIn(folder)).length

/** Whatever was pushed: no file has changed, no process is left, and the server goes on. */
async function nothingChanged(): Promise<void> {
  await expect.poll(() => workingIn(server), { timeout: 20_000 }).toBe(0)
  await expect.poll(() => contentsOf(server.folder), { timeout: 10_000 }).toEqual(before)
  const listed = await server.done(['ls-remote', server.url()])
  expect(listed).toContain(`${head}\trefs/heads/main`)
}

/** A commit with one entry in its root. */
function commitOf(entry: pack.TreeEntry, ...more: readonly pack.StoredObject[]) {
  const root = pack.tree(entry)
  const tip = pack.commit(root)
  const all = [...more, root, tip]
  return { id: pack.idOf(tip), all, objects: pack.packOf(...all) }
}

const FILE = pack.blob('x')
const GOOD = commitOf({ mode: '100644', name: 'file', id: pack.idOf(FILE) }, FILE)
const ENTRIES = GOOD.all.map((object) => pack.entry(object))

test('a pack of the same form without a fault is taken, without the bytes behind it', async () => {
  await using other = await served()
  await other.done(['ls-remote', other.url()])
  const body = [command(GOOD.id, BRANCH), FLUSH, GOOD.objects, Buffer.alloc(100_000)]
  expect(await post(Buffer.concat(body), {}, other)).toMatchObject({
    status: 200,
    text: expect.stringMatching(/unpack ok\n[^]*ok refs\/heads\/hostile/) as string,
  })
  const stored = await sizeOf(other.folderOf('acme'))
  expect(stored).toBeLessThan(50_000)
})

describe('a pack is refused, and leaves nothing,', () => {
  const more = (entry: Buffer): Buffer => pack.pack([...ENTRIES, entry])
  const broken = Buffer.from(GOOD.objects)
  broken.writeUInt8(broken.readUInt8(broken.byteLength - 1) ^ 1, broken.byteLength - 1)
  const changed = Buffer.from(GOOD.objects)
  changed.writeUInt8(changed.readUInt8(20) ^ 0xff, 20)

  test.each<readonly [string, Buffer]>([
    ['that has fewer objects than it says', pack.pack(ENTRIES, 4)],
    ['that has more objects than it says', pack.pack([...ENTRIES, pack.entry(pack.blob('y'))], 3)],
    ['that says it has as many objects as can be', pack.pack(ENTRIES, 0xff_ff_ff_ff)],
    ['that says it has 100 million objects', pack.pack(ENTRIES, 100_000_000)],
    ['that says it has none', pack.pack(ENTRIES, 0)],
    ['that ends early', GOOD.objects.subarray(0, GOOD.objects.byteLength / 2)],
    ['that ends within its header', GOOD.objects.subarray(0, 7)],
    ['that is not there', Buffer.alloc(0)],
    ['with a wrong checksum', broken],
    ['with a changed byte', changed],
    [
      'of another version',
      Buffer.from(GOOD.objects.toString('latin1').replace('\u0002', '\u0009'), 'latin1'),
    ],
    ['of no form', Buffer.from('not a pack at all, and longer than a header')],
    ['without the object of its branch', pack.packOf(FILE)],
    ['with an object that is larger than it says', more(pack.entry(pack.blob('xyz'), 1))],
    ['with an object that is smaller than it says', more(pack.entry(pack.blob('xyz'), 1_000))],
    ['with an object that says it has a terabyte', more(pack.entry(pack.blob('xyz'), 2 ** 40))],
    [
      'with a delta of an object that is nowhere',
      more(pack.entry(pack.copies({ id: NONE, size: 9 }, 1, 1))),
    ],
  ])('%s', async (_name, objects) => {
    expect(isRefused(await push(GOOD.id, objects))).toBe(true)
    await nothingChanged()
  })
})

describe('a small pack of huge objects is refused', () => {
  const base = pack.blob(Buffer.alloc(0x1_00_00_00))
  const from = { id: pack.idOf(base), size: base.data.byteLength }

  test('by what it says of their size', async () => {
    const objects = pack.packOf(...GOOD.all, base, pack.copies(from, 1, 1, 2 ** 40))
    expect(objects.byteLength).toBeLessThan(100_000)
    const pushed = await push(GOOD.id, objects)
    expect(pushed.text).toContain('unpack ')
    expect(isRefused(pushed)).toBe(true)
    await nothingChanged()
  })

  test('by their size', async () => {
    // 20 times 16 MB
    const objects = pack.packOf(...GOOD.all, base, pack.copies(from, 20, 1))
    expect(objects.byteLength).toBeLessThan(100_000)
    expect(isRefused(await push(GOOD.id, objects))).toBe(true)
    await nothingChanged()
  })

  test('also where the object is one of zeros, as zlib packs them', async () => {
    const zeros = pack.blob(Buffer.alloc(300 * 1_048_576))
    const objects = pack.packOf(...GOOD.all, zeros)
    expect(objects.byteLength).toBeLessThan(400_000)
    expect(isRefused(await push(GOOD.id, objects))).toBe(true)
    await nothingChanged()
  })

  test('by the memory that git may take', async () => {
    await using other = await served({ memoryMb: 64, maxObjectBytes: 2 ** 33 })
    await other.done(['ls-remote', other.url()])
    const stored = await contentsOf(other.folder)
    const objects = pack.packOf(...GOOD.all, base, pack.copies(from, 20, 1))
    expect(isRefused(await push(GOOD.id, objects, BRANCH, other))).toBe(true)
    await other.done(['ls-remote', other.url()])
    expect(await contentsOf(other.folder)).toEqual(stored)
  })

  test('by the time that they take, while others are served', async () => {
    await using other = await served({ timeoutMs: 4_000 })
    await other.done(['ls-remote', other.url()])
    const stored = await contentsOf(other.folderOf('acme'))
    // 120 GB
    const bombs = Array.from({ length: 500 }, (_, at) => pack.copies(from, 15, at))
    const objects = pack.packOf(...GOOD.all, base, ...bombs)
    expect(objects.byteLength).toBeLessThan(100_000)
    const pushing = push(GOOD.id, objects, BRANCH, other)
    const working = (): Promise<number> => workingIn(other)
    await expect.poll(working, { timeout: 10_000 }).toBeGreaterThan(0)
    await other.done(['ls-remote', other.url('bert', 'beta')])
    expect(isRefused(await pushing)).toBe(true)
    await expect.poll(() => workingIn(other), { timeout: 20_000 }).toBe(0)
    await expect.poll(() => contentsOf(other.folderOf('acme')), { timeout: 10_000 }).toEqual(stored)
  })
})

describe('a commit is refused', () => {
  const id = pack.idOf(FILE)
  test.each(['..', '.', '.git', '.GIT', 'git~1', '.git ', '.g\u200cit', 'a/b', '../../../x', ''])(
    'with an entry %j',
    async (name) => {
      const { id: to, objects } = commitOf({ mode: '100644', name, id }, FILE)
      const pushed = await push(to, objects)
      expect(pushed.text).toContain('unpack ')
      expect(isRefused(pushed)).toBe(true)
      await nothingChanged()
    },
  )

  test('with a folder that is called .git', async () => {
    const config = pack.tree({ mode: '100644', name: 'config', id })
    const { id: to, objects } = commitOf(
      { mode: '40000', name: '.git', id: pack.idOf(config) },
      FILE,
      config,
    )
    expect(isRefused(await push(to, objects))).toBe(true)
    await nothingChanged()
  })

  test.each([
    ['a URL that is an option', '[submodule "a"]\n\tpath = a\n\turl = -u./payload\n'],
    ['a path that is an option', '[submodule "a"]\n\tpath = -a\n\turl = https://a.example\n'],
    [
      'a name that leads out of its folder',
      '[submodule "../../a"]\n\tpath = a\n\turl = https://a.example\n',
    ],
    [
      'a command for an update',
      '[submodule "a"]\n\tpath = a\n\turl = https://a.example\n\tupdate = !sh\n',
    ],
  ])('with .gitmodules that has %s', async (_name, text) => {
    const clone = await server.clone({ '.gitmodules': text })
    const pushed = await server.git(['push', 'origin', 'main:hostile'], { cwd: clone })
    expect(pushed.code).not.toBe(0)
    expect(pushed.text).toContain('gitmodules')
    await nothingChanged()
  })

  test('with .gitmodules that is a link', async () => {
    const to = pack.blob('../../secret')
    const link = { mode: '120000', name: '.gitmodules', id: pack.idOf(to) }
    const { id: tip, objects } = commitOf(link, to)
    const pushed = await push(tip, objects)
    expect(pushed.text).toContain('unpack ')
    expect(isRefused(pushed)).toBe(true)
    await nothingChanged()
  })
})

describe('a ref is refused', () => {
  const empty = pack.packOf()
  test.each([
    'refs/heads/../../x',
    'refs/heads/../../../../x',
    'refs/heads/..',
    'refs/heads/.x',
    'refs/heads/x.lock',
    'refs/heads/x/',
    'refs/heads//x',
    'refs/heads/a b',
    'refs/heads/a\u007f',
    'refs/heads/a..b',
    'refs/heads/@{1}',
    'refs/heads/',
    'refs/../hooks/x',
    'refs/hooks/x',
    'HEAD',
    'config',
    '/etc/x',
    `refs/heads/${'x/'.repeat(99)}x`,
    `refs/heads/${'x'.repeat(300)}`,
  ])('that is called %j', async (ref) => {
    expect(isRefused(await push(head, empty, ref))).toBe(true)
    await nothingChanged()
  })

  test('that is one of too many', async () => {
    const clone = await server.clone()
    const refs = Array.from({ length: 501 }, (_, at) => `main:refs/heads/many/${at}`)
    const pushed = await server.git(['push', 'origin', ...refs], { cwd: clone })
    expect(pushed.code).not.toBe(0)
    expect(pushed.text).toContain('one push changes 500 refs at most')
    await nothingChanged()
  })

  test('that is one of so many that their list is not read', async () => {
    const rest = Array.from({ length: 20_000 }, (_, at) =>
      pack.line(`${NONE} ${head} refs/heads/many/${at}`),
    )
    const pushed = await post(
      Buffer.concat([command(head, 'refs/heads/many'), ...rest, FLUSH, empty]),
    )
    expect(pushed.status).toBe(400)
    await nothingChanged()
  })
})

describe('a request is refused', () => {
  const good = command(GOOD.id, BRANCH)
  test.each<readonly [string, Buffer]>([
    ['longer than its packet says', pack.line(good.subarray(4).toString('latin1'), 20)],
    ['shorter than its packet says', pack.line(good.subarray(4).toString('latin1'), 60_000)],
    ['of the largest length', pack.line('x', 0xff_ff)],
    ['of a length that is no number', Buffer.from(`zz${good.toString('latin1').slice(2)}`)],
    ['of a negative length', Buffer.from(`-001${good.toString('latin1').slice(4)}`)],
    ['of the length of a delimiter', Buffer.from(`0001${good.toString('latin1').slice(4)}`)],
  ])('that is %s', async (_name, first) => {
    const pushed = await post(Buffer.concat([first, FLUSH, GOOD.objects]))
    expect(isRefused(pushed)).toBe(true)
    await nothingChanged()
  })

  const body = Buffer.concat([good, FLUSH, GOOD.objects])
  const packed = gzipSync(body)
  const zeros = Buffer.concat([
    good,
    FLUSH,
    GOOD.objects.subarray(0, 12),
    Buffer.alloc(200 * 1_048_576),
  ])
  test.each<readonly [string, Buffer]>([
    ['is none', Buffer.from('this is no gzip')],
    ['ends early', Buffer.from(packed.subarray(0, packed.byteLength - 12))],
    ['ends in the list of refs', Buffer.from(packed.subarray(0, 40))],
    ['decodes to more than a push may have', gzipSync(zeros)],
  ])('whose gzip %s', async (_name, bytes) => {
    expect(isRefused(await post(bytes, { 'content-encoding': 'gzip' }))).toBe(true)
    await nothingChanged()
  })
})
