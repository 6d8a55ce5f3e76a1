import { spawnSync } from 'node:child_process'
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unwrap } from '@amodal/sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ProgramSandbox, type Program, type ProgramEnd } from '../src/tokens.ts'
import { desk } from './support.ts'

const isRoot = process.getuid?.() === 0
const starts = (program: string, args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0
const SANDBOXES = [
  {
    sandbox: 'namespaces',
    has: starts('unshare', [
      ...(isRoot ? [] : ['-r']),
      '--mount',
      '--pid',
      '--net',
      '--fork',
      'true',
    ]),
  },
  {
    sandbox: 'bubblewrap',
    has: starts('bwrap', ['--unshare-all', '--ro-bind', '/', '/', '/bin/true']),
  },
]

interface Outcome extends ProgramEnd {
  readonly stdout: string
  readonly stderr: string
}

interface Bench {
  readonly folder: string
  readonly outside: string
  run(script: string, options?: Partial<Program>): Promise<Outcome>
  start: ProgramSandbox['start']
  program(script: string, options?: Partial<Program>): Program
}

async function bench(sandbox: string): Promise<Bench> {
  const agent = await desk({}, { config: { sandbox } })
  const folder = await mkdtemp(join(tmpdir(), 'amodal-program-'))
  const outside = await mkdtemp(join(tmpdir(), 'amodal-outside-'))
  await writeFile(join(outside, 'secret.txt'), 'canary-of-the-machine')
  await chmod(outside, 0o777)
  onTestFinished(async () => {
    await agent[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
    await rm(outside, { recursive: true, force: true })
  })
  const programs = agent.kernel.current().scope.get(ProgramSandbox)
  const program = (script: string, options: Partial<Program> = {}): Program => ({
    argv: ['bash', '-c', script],
    cwd: '/workspace',
    readable: [],
    writable: [{ path: folder, at: '/workspace' }],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/workspace' },
    timeoutMs: 20_000,
    processes: 64,
    fileBytes: 4 * 1_048_576,
    ...options,
  })
  return {
    folder,
    outside,
    program,
    start: (one, signal) => programs.start(one, signal),
    run: async (script, options) => {
      const started = await programs.start(program(script, options), new AbortController().signal)
      const running = unwrap(started, (error) => error.message)
      const [stdout, stderr, end] = await Promise.all([
        text(running.stdout),
        text(running.stderr),
        running.ended,
      ])
      return { stdout, stderr, ...end }
    },
  }
}

const processesWith = async (marker: string): Promise<number> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  return lines.filter((line) => line.includes(marker)).length
}

describe.each(SANDBOXES.filter(({ has }) => has))('$sandbox', ({ sandbox }) => {
  test('changes its folder and nothing outside of it', async () => {
    const { folder, outside, run } = await bench(sandbox)
    await writeFile(join(folder, 'read.txt'), 'from the server', { mode: 0o600 })
    await symlink(outside, join(folder, 'link'))
    const outcome = await run(
      `cat read.txt && echo changed > read.txt && mkdir sub && echo 1 > sub/new.txt
       cat ${outside}/secret.txt; echo x > ${outside}/written; cat link/secret.txt; echo x > link/written
       cat ../../etc/shadow; echo x > /usr/written; ln /usr/bin/env hard; mknod device b 8 0; env; pwd; id -u`,
    )
    expect(outcome).toMatchObject({ exitCode: 0, reason: 'exited' })
    expect(outcome.stdout).toContain('from the server')
    expect(outcome.stdout).toContain('/workspace')
    expect(outcome.stdout + outcome.stderr).not.toContain('canary-of-the-machine')
    expect(outcome.stdout).not.toContain('root:')
    expect(await readFile(join(folder, 'read.txt'), 'utf8')).toBe('changed\n')
    expect(await readFile(join(folder, 'sub/new.txt'), 'utf8')).toBe('1\n')
    expect(await readdir(outside)).toEqual(['secret.txt'])
    expect(await readdir(folder)).not.toContain('hard')
    expect((await stat(join(folder, 'device')).catch(() => undefined))?.isBlockDevice()).not.toBe(
      true,
    )
    if (isRoot) expect(outcome.stdout.trim().split('\n').at(-1)).not.toBe('0')
  })

  test('reaches no port of this machine and no host', async () => {
    const { run } = await bench(sandbox)
    const { stdout } = await run('cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d " \\n"')
    expect(stdout).toBe('lo')
  })

  test('leaves no process behind, whatever it starts', async () => {
    const { run } = await bench(sandbox)
    const marker = `1000${process.pid}`
    const outcome = await run(
      `setsid sleep ${marker} & disown; (setsid sleep ${marker} &) ; echo ok`,
    )
    expect(outcome).toMatchObject({ stdout: 'ok\n', reason: 'exited' })
    await expect.poll(() => processesWith(marker)).toBe(0)
  })

  test('a fork bomb ends with its time, and the server goes on', async () => {
    const { run } = await bench(sandbox)
    const outcome = await run('bomb() { bomb | bomb & }; bomb; sleep 30', {
      timeoutMs: 3_000,
      processes: 40,
    })
    expect(['timeout', 'exited']).toContain(outcome.reason)
    expect((await run('echo alive')).stdout).toBe('alive\n')
  })

  test('one file is limited in size', async () => {
    const { run, folder } = await bench(sandbox)
    const outcome = await run('head -c 10000000 /dev/zero > large')
    expect(outcome.exitCode).not.toBe(0)
    expect((await stat(join(folder, 'large'))).size).toBeLessThanOrEqual(4 * 1_048_576)
  })

  test('a signal stops it with all that it started', async () => {
    const { start, program } = await bench(sandbox)
    const marker = `2000${process.pid}`
    const stop = new AbortController()
    const started = unwrap(
      await start(program(`sleep ${marker} & echo up; sleep ${marker}`), stop.signal),
      (error) => error.message,
    )
    const [first] = await started.stdout.take(1).toArray()
    expect(String(first)).toBe('up\n')
    stop.abort(new Error('no longer needed'))
    expect(await started.ended).toMatchObject({ reason: 'stopped' })
    await expect.poll(() => processesWith(marker)).toBe(0)
  })

  test('programs of one account change the files of each other while they run', async () => {
    const { start, program, run } = await bench(sandbox)
    const first = unwrap(
      await start(
        program(
          'echo a > shared.txt; echo up; while [ ! -e done ]; do sleep 0.02; done; echo b >> shared.txt; cat shared.txt',
          { account: 's1' },
        ),
        new AbortController().signal,
      ),
      (error) => error.message,
    )
    const output = text(first.stdout)
    const second = await run(
      'while [ ! -e shared.txt ]; do sleep 0.02; done; echo c >> shared.txt && touch done',
      { account: 's1' },
    )
    expect(second.exitCode).toBe(0)
    expect(await output).toBe('up\na\nc\nb\n')
    expect((await first.ended).exitCode).toBe(0)
  })

  test('git reads no configuration that the machine has, and runs none of the server', async () => {
    const { folder, run } = await bench(sandbox)
    await mkdir(join(folder, '.git'))
    const outcome = await run(
      'git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log --format=%s',
    )
    expect(outcome).toMatchObject({ stdout: 'x\n', exitCode: 0 })
  })
})

test('a program that is not installed is refused by name', async () => {
  const usable = SANDBOXES.find(({ has }) => has)
  if (!usable) return
  const { start, program } = await bench(usable.sandbox)
  const refused = await start(
    program('', { argv: ['no-such-program'] }),
    new AbortController().signal,
  )
  expect(refused).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } })
})
