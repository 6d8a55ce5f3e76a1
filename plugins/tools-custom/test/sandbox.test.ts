import { spawnSync } from 'node:child_process'
import { openSync, closeSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Health } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { desk, handler, startApi } from './support.ts'

const hasBubblewrap =
  spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', '/bin/true'], { stdio: 'ignore' })
    .status === 0

const LOOKS = `
  import { readdirSync, readlinkSync, readFileSync, existsSync } from 'node:fs'
  const tried = (work) => { try { return work() } catch (error) { return String(error.code) } }
  export default async (params, ctx) => ({
    env: Object.keys(process.env), pid: process.pid, cwd: process.cwd(),
    fds: tried(() => readdirSync('/proc/self/fd').map((fd) => tried(() => readlinkSync('/proc/self/fd/' + fd)))),
    secret: tried(() => readFileSync(params.dir + '/.env', 'utf8')), manifest: existsSync(params.dir + '/amodal.json'), neighbour: existsSync(params.dir + '/tools/other/handler.ts'),
    own: existsSync(params.dir + '/tools/looks/data.txt'), shared: existsSync(params.dir + '/tools/_shared/x.ts'), passwd: existsSync('/etc/shadow'),
    privileges: tried(() => /NoNewPrivs:\\s+(\\d)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]),
    processes: tried(() => readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length),
    network: params.port ? await new Promise((resolve) => { import('node:net').then(({ connect }) => connect(params.port, '127.0.0.1').on('connect', function () { this.destroy(); resolve('open') }).on('error', (error) => resolve(error.code))) }) : null,
    fetched: params.url ? await fetch(params.url).then((response) => response.json(), (error) => error.message) : null,
  })`
const files = {
  ...handler('looks', LOOKS, { env: ['MINE'] }),
  ...handler('other', 'export default () => 1'),
  'tools/looks/data.txt': 'x',
  'tools/_shared/x.ts': '',
  '.env': 'HIDDEN=hidden-value-1\n',
}

interface Looks {
  readonly env: readonly string[]
  readonly fds: readonly string[]
  readonly [key: string]: unknown
}

describe('a process', () => {
  test('has an environment of its own, none of our descriptors, and cannot gain rights', async () => {
    await using it = await desk(files, {
      env: { MINE: '1', OTHERS: '2' },
      config: { sandbox: 'process' },
    })
    const folder = await mkdtemp(join(tmpdir(), 'amodal-open-'))
    await writeFile(join(folder, 'open.txt'), 'x')
    const descriptor = openSync(join(folder, 'open.txt'), 'r')
    const server = createServer().listen(0, '127.0.0.1')
    try {
      const looks = (await it.call('looks', { dir: it.dir })).output as Looks
      expect(looks.env).toEqual(['MINE'])
      expect(looks).toMatchObject({ cwd: `${it.dir}/tools/looks`, own: true })
      if (process.platform !== 'linux') return
      expect(looks.fds.filter((name) => name.includes('open.txt'))).toEqual([])
      // output, errors and its channel
      expect(looks.fds.filter((name) => name.startsWith('socket:'))).toHaveLength(3)
      if (spawnSync('setpriv', ['--version']).status === 0) expect(looks['privileges']).toBe('1')
    } finally {
      closeSync(descriptor)
      server.close()
    }
  })

  test('dies with the server, also where that is killed while a handler loops', async () => {
    if (process.platform !== 'linux' || spawnSync('setpriv', ['--version']).status !== 0) return
    const support = new URL('./support.ts', import.meta.url).href
    const program = `
      const { desk, handler } = await import(${JSON.stringify(support)})
      const { readFileSync, existsSync } = await import('node:fs')
      const it = await desk(handler('tried', "import { writeFileSync } from 'node:fs'\\nexport default (params) => { writeFileSync(params.dir + '/self', String(process.pid)); for (;;) {} }"))
      void it.call('tried', { dir: it.dir })
      while (!existsSync(it.dir + '/self') || readFileSync(it.dir + '/self', 'utf8') === '') await new Promise((r) => setTimeout(r, 20))
      process.stdout.write(readFileSync(it.dir + '/self', 'utf8'), () => process.kill(process.pid, 'SIGKILL'))`
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      timeout: 60_000,
    })
    const pid = Number(run.stdout)
    expect([run.signal, pid > 0]).toEqual(['SIGKILL', true])
    await expect
      .poll(() => {
        try {
          return process.kill(pid, 0)
        } catch {
          return false
        }
      })
      .toBe(false)
  })
})

describe('bubblewrap', () => {
  test.skipIf(!hasBubblewrap)(
    'shows a handler its own files and nothing else of the machine',
    async () => {
      await using it = await desk(files, { env: { MINE: '1' }, config: { sandbox: 'auto' } })
      const looks = (await it.call('looks', { dir: it.dir })).output as Looks
      expect(looks).toMatchObject({
        env: ['MINE'],
        secret: 'ENOENT',
        manifest: false,
        neighbour: false,
        own: true,
        shared: true,
        passwd: false,
        privileges: '1',
      })
      expect(looks['processes']).toBeLessThan(5)
      expect(looks.fds.filter((name) => name.startsWith('socket:'))).toHaveLength(3)
      const health = it.kernel.current().registry(Health).get('handlers')
      health?.()
      await expect
        .poll(() => health?.().facts)
        .toMatchObject({ handlers: { sandbox: 'bubblewrap', processes: 1 } })
    },
  )

  test.skipIf(!hasBubblewrap)(
    'cuts the network off where it is told to; fetch still goes through the server',
    async () => {
      await using api = await startApi(() => ({ through: 'the server' }))
      await using it = await desk(files, {
        config: { sandbox: 'bubblewrap', network: false },
        api: api.url,
      })
      const { output } = await it.call('looks', {
        dir: it.dir,
        port: Number(new URL(api.url).port),
        url: api.url,
      })
      expect(output).toMatchObject({
        network: expect.stringMatching(/ECONNREFUSED|ENETUNREACH/) as string,
        fetched: { through: 'the server' },
      })
    },
  )

  test.skipIf(!hasBubblewrap)('ends with its handler, whatever that has started', async () => {
    await using it = await desk(
      handler(
        'tried',
        "import { spawn } from 'node:child_process'\nexport default () => { spawn('setsid', ['sleep', '61'], { detached: true }); for (;;) {} }",
        { timeout: 700 },
      ),
      { config: { sandbox: 'bubblewrap' } },
    )
    expect(await it.call('tried')).toMatchObject({ code: 'TOOL_TIMEOUT' })
    await expect
      .poll(() => spawnSync('pgrep', ['-f', 'sleep 61'], { encoding: 'utf8' }).stdout)
      .toBe('')
  })

  test.skipIf(!hasBubblewrap)('wraps commands, too', async () => {
    await using it = await desk(
      handler(
        'tried',
        "export default async (params, ctx) => ({ seen: (await ctx.exec('ls ' + params.dir)).stdout })",
      ),
      { config: { sandbox: 'bubblewrap' }, manifest: { sandbox: { shellExec: true } } },
    )
    expect((await it.call('tried', { dir: it.dir })).output).toEqual({ seen: 'tools\n' })
  })

  test.skipIf(hasBubblewrap)(
    'that is asked for and not there: handlers do not run, and say why',
    async () => {
      await using it = await desk(handler('tried', 'export default () => 1'), {
        config: { sandbox: 'bubblewrap' },
      })
      expect(await it.call('tried')).toMatchObject({
        status: 'error',
        code: 'BAD_CONFIG',
        output: expect.stringContaining('`bwrap` is not installed') as string,
      })
      const health = it.kernel.current().registry(Health).get('handlers')
      health?.()
      await expect.poll(() => health?.().problem).toContain('bwrap')
    },
  )
})
