import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Failure, Result } from '@amodal/sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WorkspaceFiles } from '../src/gate/workspace-files.ts'

const SECRET = 'outside secret'
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

let base = ''
let root = ''
let outside = ''

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'amodal-gate-'))
  root = join(base, 'workspace')
  outside = join(base, 'outside')
  for (const folder of [join(root, 'src'), outside]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(root, 'src/main.ts'), 'inside')
  writeFileSync(join(outside, 'secret.txt'), SECRET)
  symlinkSync(outside, join(root, 'linked'))
  symlinkSync(join(outside, 'secret.txt'), join(root, 'linked.txt'))
  symlinkSync('..', join(root, 'up'))
  symlinkSync('src', join(root, 'alias'))
  linkSync(join(outside, 'secret.txt'), join(root, 'hard.txt'))
  spawnSync('mkfifo', [join(root, 'fifo')])
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

/** All that is outside of the workspace, with the size and the times of each file. */
function outsideState(): unknown {
  // Not recursive from `base`: `readdir` follows the links that are in the workspace.
  const names = readdirSync(base).filter((name) => name !== 'workspace')
  return [...names, ...readdirSync(outside).map((name) => join('outside', name))].map((path) => {
    const { size, mode, mtimeMs, nlink } = statSync(join(base, path))
    return { path, size, mode, mtimeMs, nlink: path === 'outside/secret.txt' ? 0 : nlink }
  })
}

/** Paths that lead outside, or to what is no file of the workspace. */
const ATTACKS: Readonly<Record<string, () => string>> = {
  'a parent': () => '../outside/secret.txt',
  'a parent inside of a path': () => 'src/../../outside/secret.txt',
  'an absolute path': () => join(outside, 'secret.txt'),
  'a link to a folder': () => 'linked/secret.txt',
  'a link to the parent': () => 'up/outside/secret.txt',
  'a link within the workspace': () => 'alias/main.ts',
  'a NUL character': () => 'src/main.ts\0.txt',
  'half of a surrogate pair': () => 'src/\ud800',
  'a path that is too long': () => 'a/'.repeat(3_000),
  'a name that is too long': () => 'a'.repeat(300),
  'a path that is too deep': () => 'a/'.repeat(80),
}

const OPERATIONS: Readonly<
  Record<string, (files: WorkspaceFiles, path: string) => Promise<Result<unknown, Failure>>>
> = {
  read: (files, path) => files.read(path, 1_000),
  write: (files, path) => files.write(path, bytes('changed')),
  info: (files, path) => files.info(path),
  list: (files, path) => files.list(path),
  makeFolder: (files, path) => files.makeFolder(`${path}/new`),
  remove: (files, path) => files.remove(path),
  'rename from': (files, path) => files.rename(path, 'stolen'),
  'rename to': (files, path) => files.rename('src/main.ts', path),
  link: (files, path) => files.link(path, 'src'),
  linkTarget: (files, path) => files.linkTarget(path),
  setMode: (files, path) => files.setMode(path, 0o777),
}

describe.each(['descriptor', 'checked'] as const)('the gate, by %s', (addressing) => {
  describe.skipIf(addressing === 'descriptor' && process.platform !== 'linux')('', () => {
    const cases = Object.keys(ATTACKS).flatMap((attack) =>
      Object.keys(OPERATIONS).map((operation) => ({ attack, operation })),
    )

    it.each(cases)('refuses $attack to $operation', async ({ attack, operation }) => {
      const before = outsideState()
      const path = ATTACKS[attack]?.() ?? ''
      const outcome = await OPERATIONS[operation]?.(new WorkspaceFiles(root, addressing), path)
      expect(outcome).toMatchObject({ ok: false, error: { code: 'WORKSPACE_PATH_REFUSED' } })
      expect(JSON.stringify(outcome)).not.toContain(SECRET)
      expect(outsideState()).toEqual(before)
      expect(readFileSync(join(root, 'src/main.ts'), 'utf8')).toBe('inside')
    })

    it.each(['linked.txt', 'hard.txt', 'fifo'])(
      'neither reads, writes nor changes %s',
      async (path) => {
        const files = new WorkspaceFiles(root, addressing)
        const before = outsideState()
        for (const outcome of [
          await files.read(path, 1_000),
          await files.write(path, bytes('changed')),
          await files.setMode(path, 0o777),
        ])
          expect(outcome).toMatchObject({ ok: false, error: { code: 'WORKSPACE_PATH_REFUSED' } })
        expect(outsideState()).toEqual(before)
        expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
      },
    )

    it('removes links and second names, never what they lead to', async () => {
      const files = new WorkspaceFiles(root, addressing)
      for (const path of ['linked', 'linked.txt', 'up', 'hard.txt', 'fifo', 'src'])
        expect(await files.remove(path)).toEqual({ ok: true, value: undefined })
      expect(readdirSync(root)).toEqual(['alias'])
      expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
    })

    it('writes, reads, lists and moves files', async () => {
      const files = new WorkspaceFiles(root, addressing)
      expect(await files.write('a/b/c.txt', bytes('one'))).toMatchObject({ ok: true })
      expect(await files.setMode('a/b/c.txt', 0o6755)).toMatchObject({ ok: true })
      expect(await files.write('a/b/c.txt', bytes('two'))).toMatchObject({ ok: true })
      expect(await files.rename('a/b/c.txt', 'd/e.txt')).toMatchObject({ ok: true })
      const read = await files.read('./d//e.txt', 3)
      expect(read).toMatchObject({ ok: true, value: { info: { kind: 'file', mode: 0o755 } } })
      expect(read.ok && Buffer.from(read.value.bytes).toString()).toBe('two')
      expect(await files.read('d/e.txt', 2)).toMatchObject({
        ok: false,
        error: { code: 'WORKSPACE_FILE_REFUSED' },
      })
      expect(await files.read('a/b/c.txt', 9)).toMatchObject({
        ok: false,
        error: { code: 'WORKSPACE_FILE_MISSING' },
      })
      const listed = await files.list('')
      expect(listed.ok && listed.value.map(({ name, kind }) => [name, kind])).toEqual([
        ['a', 'folder'],
        ['alias', 'link'],
        ['d', 'folder'],
        ['fifo', 'other'],
        ['hard.txt', 'file'],
        ['linked', 'link'],
        ['linked.txt', 'link'],
        ['src', 'folder'],
        ['up', 'link'],
      ])
      expect(readdirSync(join(root, 'd'))).toEqual(['e.txt'])
    })

    it('gives a file another version when its content changes', async () => {
      const files = new WorkspaceFiles(root, addressing)
      const first = await files.info('src/main.ts')
      await files.write('src/main.ts', bytes('inside'))
      const second = await files.info('src/main.ts')
      expect(first.ok && second.ok && first.value.version !== second.value.version).toBe(true)
    })
  })
})

/** Exchanges `race/` for a link to a folder outside and back, as fast as it can. */
const EXCHANGE = `
const { mkdirSync, rmSync, symlinkSync, writeFileSync } = require('node:fs')
const [root, outside] = process.argv.slice(1)
const race = root + '/race'
const attempt = (work) => { try { work() } catch {} } // the gate may have changed it meanwhile
const removed = () => rmSync(race, { recursive: true, force: true })
process.stdout.write('ready')
for (;;) {
  attempt(() => { removed(); symlinkSync(outside, race) })
  attempt(() => { removed(); mkdirSync(race); writeFileSync(race + '/secret.txt', 'inside') })
}`

describe.skipIf(process.platform !== 'linux')('while another process exchanges folders', () => {
  let exchanging: ChildProcess | undefined
  afterEach(async () => {
    if (!exchanging || exchanging.exitCode !== null) return
    const exited = once(exchanging, 'exit')
    exchanging.kill('SIGKILL')
    await exited
  })

  it('neither reads nor changes anything outside', async () => {
    mkdirSync(join(root, 'race'))
    writeFileSync(join(root, 'race/secret.txt'), 'inside')
    const before = outsideState()
    exchanging = spawn(process.execPath, ['-e', EXCHANGE, root, outside], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    if (exchanging.stdout) await once(exchanging.stdout, 'data')
    const files = new WorkspaceFiles(root)
    const counts = { served: 0, refused: 0 }
    for (let at = 0; at < 400 || counts.served === 0 || counts.refused === 0; at++) {
      const read = await files.read('race/secret.txt', 1_000)
      if (read.ok) expect(Buffer.from(read.value.bytes).toString()).not.toBe(SECRET)
      const outcomes = [
        read,
        await files.write('race/secret.txt', bytes('inside')),
        await files.write(`race/new-${at % 7}`, bytes('new')),
        await files.remove(`race/new-${at % 7}`),
        await files.list('race'),
      ]
      for (const { ok } of outcomes) counts[ok ? 'served' : 'refused'] += 1
    }
    expect(exchanging.exitCode).toBe(null) // it has exchanged folders until now
    expect(outsideState()).toEqual(before)
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
  })
})

describe('the descriptors of an operation', () => {
  it.skipIf(process.platform !== 'linux')('are closed on every path', async () => {
    const files = new WorkspaceFiles(root)
    const open = (): number => readdirSync('/proc/self/fd').length
    await files.info('src/main.ts')
    const before = open()
    for (const attack of Object.values(ATTACKS))
      for (const operation of Object.values(OPERATIONS)) await operation(files, attack())
    for (const path of ['fifo', 'hard.txt', 'linked.txt', 'src/main.ts'])
      await files.read(path, 1_000)
    expect(open()).toBe(before)
  })
})
