import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { request, type ClientRequest } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import * as pack from './pack.ts'
import { age, gitsIn, KEYS, leftovers, served, type Served } from './server.ts'

const SERVER = fileURLToPath(new URL('killed-server.ts', import.meta.url))

/** A server in a process of its own, on the folder of another one. */
async function killable(folder: string) {
  const child = spawn(process.execPath, ['--conditions=@amodal/source', SERVER, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  const url = `http://token:${KEYS.anna}@127.0.0.1:${port.toString().trim()}/v1/acme/tool/git/tools.git`
  return {
    url,
    kill: async (): Promise<void> => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

const workingIn = async ({ folder }: Served): Promise<number> => (await gitsIn(folder)).length

const fsck = (server: Served): Promise<string> =>
  server.done([`--git-dir=${server.folderOf('acme')}`, 'fsck', '--full', '--strict'])

const headOf = async (server: Served, cwd: string): Promise<string> =>
  (await server.done(['rev-parse', 'HEAD'], { cwd })).trim()

async function remoteHead(server: Served): Promise<string> {
  const listed = await server.done(['ls-remote', server.url(), 'refs/heads/main'])
  return listed.slice(0, listed.indexOf('\t'))
}

/** Commits a file that git cannot make smaller. @returns the commit */
async function change(server: Served, clone: string, number: number): Promise<string> {
  await writeFile(join(clone, `file${number}`), randomBytes(3_000_000))
  await server.done(['add', '.'], { cwd: clone })
  await server.done(['commit', '-q', '-m', `number ${number}`], { cwd: clone })
  return headOf(server, clone)
}

test(
  'a server that is killed during pushes leaves a sound repository',
  { timeout: 180_000 },
  async () => {
    await using server = await served()
    const clone = await server.clone({ 'a/b': 'c' })
    await server.done(['push', '-q', 'origin', 'main'], { cwd: clone })
    const working = (): Promise<number> => workingIn(server)
    let taken = 0
    for (let round = 0; round < 8; round++) {
      const other = await killable(server.folder)
      const old = await remoteHead(server)
      const next = await change(server, clone, round)
      const pushing = server.git(['push', other.url, 'main'], { cwd: clone })
      await expect
        .poll(async () => (await working()) > 0 || (await remoteHead(server)) === next, {
          interval: 1,
          timeout: 20_000,
        })
        .toBe(true)
      // In each round at another moment of the push.
      await new Promise((resolve) => setTimeout(resolve, round * 20))
      await other.kill()
      await pushing
      // What it had started ends by itself: its input has ended, and nobody reads its output.
      await expect.poll(working, { timeout: 20_000 }).toBe(0)
      const head = await remoteHead(server)
      expect([old, next]).toContain(head)
      if (head === next) taken++
      expect(await fsck(server)).not.toMatch(/error|missing|corrupt/)
      // Git of today leaves the objects of a push there where a signal ends it.
      await age(server)
      const fresh = ['push', '-q', 'origin', 'main', `main:after${round}`]
      await server.done(fresh, { cwd: clone })
      await expect.poll(() => leftovers(server), { timeout: 10_000 }).toEqual([])
      expect(await remoteHead(server)).toBe(next)
    }
    expect(taken, 'at least one push was not over when its server was killed').toBeLessThan(8)
  },
)

test(
  'what is killed together with its git is cleaned up by a later push',
  { timeout: 60_000 },
  async () => {
    await using server = await served()
    const clone = await server.clone({ 'a/b': 'c' })
    await server.done(['push', '-q', 'origin', 'main'], { cwd: clone })
    const other = await killable(server.folder)
    const old = await headOf(server, clone)
    await change(server, clone, 1)
    const pushing = halfOfPush(other.url)
    await expect
      .poll(async () => (await leftovers(server)).length, { interval: 1, timeout: 20_000 })
      .toBeGreaterThan(0)
    const pids = await gitsIn(server.folder)
    await other.kill()
    for (const pid of pids) killed(pid)
    pushing.destroy()
    await expect.poll(() => workingIn(server), { timeout: 20_000 }).toBe(0)
    // Besides what is there: a lock of the branch, and a repository that was being created.
    await writeFile(join(server.folderOf('acme'), 'refs/heads/main.lock'), '')
    await mkdir(join(server.folderOf('acme'), '..', '.new-draft'))
    const found = await leftovers(server)
    expect(found.length).toBeGreaterThan(2)
    expect(await remoteHead(server)).toBe(old)
    expect(await fsck(server)).not.toMatch(/error|missing|corrupt/)

    const young = await server.git(['push', 'origin', 'main'], { cwd: clone })
    expect(young.text, 'another server may be at work').toContain('main.lock')
    await expect.poll(() => leftovers(server), { timeout: 10_000 }).toEqual(found)

    await age(server)
    await server.done(['push', '-q', 'origin', 'main'], { cwd: clone })
    await expect.poll(() => leftovers(server), { timeout: 10_000 }).toEqual([])
    expect(await remoteHead(server)).toBe(await headOf(server, clone))
    expect(await fsck(server)).not.toMatch(/error|missing|corrupt/)
  },
)

/** Sends a push but for its end, for which git waits. */
function halfOfPush(url: string): ClientRequest {
  const { origin, pathname } = new URL(url)
  const call = request(`${origin}${pathname}/git-receive-pack`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEYS.anna}`,
      'content-type': 'application/x-git-receive-pack-request',
    },
  })
  call.on('error', () => undefined)
  const object = pack.blob(randomBytes(3_000_000))
  const objects = pack.packOf(object)
  call.write(pack.line(`${'0'.repeat(40)} ${pack.idOf(object)} refs/heads/half\0 report-status`))
  call.write('0000')
  call.write(objects.subarray(0, objects.byteLength / 2))
  return call
}

/** Ends a process of this test by its id, if it is there. */
function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended
  }
}
