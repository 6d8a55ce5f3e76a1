/**
 * The packages as strangers get them: packed, installed by npm into an empty folder, and used
 * there.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { build as viteBuild } from 'vite'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isWhole, newRandom } from '../support/random.ts'
import { startRegistry } from './registry.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const tool = (name: string): string => join(root, 'node_modules', name)

/** Packages whose types are looked at in every resolution; all of them with `--all`. */
const SAMPLE = 10
/**
 * MB and packages of an installed `amodal`, which brings everything: what it is, and a quarter
 * more.
 */
const MOST_MB = 140
const MOST_PACKAGES = 180

let packed = ''
let app = ''
let model: ModelServer
const env = (): Record<string, string> => ({
  PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
  HOME: app,
  AMODAL_BASE_URL: model.url,
  AMODAL_MODEL: 'scripted',
  npm_config_update_notifier: 'false',
  NO_COLOR: '1',
})
const inApp = async (file: string, ...args: readonly string[]): Promise<string> =>
  (await run(file, args, { cwd: app, env: env(), maxBuffer: 20_000_000 })).stdout
const put = (name: string, text: string): Promise<void> => writeFile(join(app, name), text)

beforeAll(async () => {
  packed = await mkdtemp(join(tmpdir(), 'amodal-packed-'))
  app = await realpath(await mkdtemp(join(tmpdir(), 'amodal-app-')))
  model = await startModelServer({ script: reply.text('Hello from the model.') })
  await run(process.execPath, ['scripts/run.mjs', 'pack', packed], { cwd: root })
  await put(
    'package.json',
    JSON.stringify({ name: 'app', version: '1.0.0', private: true, type: 'module' }),
  )
  await using registry = await startRegistry(packed)
  await inApp(
    'npm',
    'install',
    'amodal',
    '@amodal/presets',
    '@amodal/sdk',
    'zod',
    '@types/node',
    '--registry',
    registry.url,
    '--cache',
    join(packed, 'cache'),
    '--no-audit',
    '--no-fund',
  )
}, 600_000)
afterAll(async () => {
  await model.close()
  for (const folder of [packed, app]) await rm(folder, { recursive: true, force: true })
})

test('npx amodal makes an agent and serves it', { timeout: 120_000 }, async () => {
  await inApp('npx', 'amodal', 'init', 'my-agent')
  const server = spawn('npx', ['amodal', 'dev', '--dir', 'my-agent', '--port', '0'], {
    cwd: app,
    env: env(),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  onTestFinished(() => {
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL')
  }) // npx, its shell and the server
  for await (const line of createInterface({ input: server.stdout })) {
    const address = /Chat +→ (\S+)/.exec(line)?.[1]
    if (address === undefined) continue
    const answer = await fetch(address.replace('/stream', '/sync'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"message":"hello"}',
    })
    expect(await answer.json()).toMatchObject({ response: 'Hello from the model.' })
    return
  }
  throw new Error('it ended before it served')
})

test('what is installed stays within its size', async () => {
  const lock = JSON.parse(await readFile(join(app, 'node_modules/.package-lock.json'), 'utf8')) as {
    readonly packages: object
  }
  const { stdout } = await run('du', ['-sk', join(app, 'node_modules')])
  const [mb, packages] = [
    Math.round(Number.parseInt(stdout, 10) / 1_024),
    Object.keys(lock.packages).length,
  ]
  process.stdout.write(`amodal, installed: ${mb} MB in ${packages} packages\n`)
  expect(mb).toBeLessThanOrEqual(MOST_MB)
  expect(packages).toBeLessThanOrEqual(MOST_PACKAGES)
})

const EMBED = `
  const agent = await createAgent({ bundle: defineBundle({ name: 'helper' }), env: process.env })
  const session = await agent.createSession({ userId: 'ann' })
  let text = ''
  for await (const event of session.stream('hello')) if (event.type === 'text_delta') text += event.content
  await agent.shutdown()
  console.log(text)
`

describe('an embedding answers', () => {
  test('from an ES module', async () => {
    await put(
      'embed.mjs',
      `import { createAgent } from '@amodal/presets'\nimport { defineBundle } from '@amodal/sdk'\n${EMBED}`,
    )
    expect(await inApp(process.execPath, 'embed.mjs')).toBe('Hello from the model.\n')
  })

  test('from CommonJS', async () => {
    await put(
      'embed.cjs',
      `const { createAgent } = require('@amodal/presets')\nconst { defineBundle } = require('@amodal/sdk')\nvoid (async () => {${EMBED}})()`,
    )
    expect(await inApp(process.execPath, 'embed.cjs')).toBe('Hello from the model.\n')
  })

  test('bundled by esbuild', async () => {
    await build({
      absWorkingDir: app,
      entryPoints: ['embed.mjs'],
      bundle: true,
      platform: 'node',
      format: 'esm',
      mainFields: ['module', 'main'],
      outfile: 'esbuild/embed.mjs',
      logLevel: 'error',
      banner: {
        js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url)",
      }, // for packages that are CommonJS
    })
    expect(await inApp(process.execPath, 'esbuild/embed.mjs')).toBe('Hello from the model.\n')
  })

  test('bundled by Vite for a server', async () => {
    await viteBuild({
      root: app,
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: true },
      build: {
        ssr: 'embed.mjs',
        outDir: 'vite',
        emptyOutDir: true,
        rolldownOptions: { output: { entryFileNames: 'embed.mjs' } },
      },
    })
    expect(await inApp(process.execPath, 'vite/embed.mjs')).toBe('Hello from the model.\n')
  })
})

/** A program that imports every door of every package. */
async function everyDoor(): Promise<string> {
  const scope = join(app, 'node_modules/@amodal')
  const lines = await Promise.all(
    (await readdir(scope)).map(async (name) => {
      const { exports } = JSON.parse(await readFile(join(scope, name, 'package.json'), 'utf8')) as {
        readonly exports: Readonly<Record<string, unknown>>
      } // ours
      return Object.keys(exports)
        .filter((door) => door !== './testing')
        .map((door) => `@amodal/${name}${door.slice(1)}`) // which needs Vitest
    }),
  )
  return lines
    .flat()
    .map((door, at) => `import * as door${at} from '${door}'\nexport { door${at} }`)
    .join('\n')
}

test.each([
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
])(
  'every door is typed for a strict compiler that checks libraries (%s, %s)',
  async (module, resolution) => {
    await put('doors.ts', await everyDoor())
    const options = [
      '--strict',
      '--noEmit',
      '--target',
      'es2024',
      '--lib',
      'es2024,esnext.disposable,dom,dom.iterable,dom.asynciterable',
      '--types',
      'node',
    ]
    const said = await inApp(
      process.execPath,
      join(tool('typescript-native'), 'bin/tsc'),
      ...options,
      '--module',
      module,
      '--moduleResolution',
      resolution,
      'doors.ts',
    ).catch((cause: unknown) => (cause as { readonly stdout: string }).stdout)
    expect(said).toBe('')
  },
)

test('publint and "are the types wrong" find nothing', { timeout: 300_000 }, async () => {
  const scope = join(app, 'node_modules/@amodal')
  const folders = [
    join(app, 'node_modules/amodal'),
    ...(await readdir(scope)).map((name) => join(scope, name)),
  ]
  const found = await Promise.all(
    folders.map(async (pkgDir) => {
      const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false })
      return messages.map((message) => `${pkgDir}: ${String(formatMessage(message, pkg ?? {}))}`)
    }),
  )
  expect(found.flat()).toEqual([])

  const attw = join(
    dirname(createRequire(import.meta.url).resolve('@arethetypeswrong/cli/package.json')),
    'dist/index.js',
  )
  const doors = (await readdir(packed)).filter(
    (file) => file.endsWith('.tgz') && !/^(amodal-\d|create-)/.test(file),
  )
  const wrong: string[] = []
  for (const file of isWhole() ? doors : newRandom().sample(doors, SAMPLE)) {
    const child = spawn(
      process.execPath,
      [
        attw,
        join(packed, file),
        '--profile',
        'esm-only',
        '--no-emoji',
        '--no-color',
        '--format',
        'ascii',
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) wrong.push(`${file}: ${said}`)
  }
  expect(wrong).toEqual([])
})

describe('the plugin of a stranger', () => {
  let folder = ''
  let plugin = ''
  const inPlugin = async (file: string, ...args: readonly string[]): Promise<string> =>
    (await run(file, args, { cwd: plugin, env: env(), maxBuffer: 20_000_000 })).stdout
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'amodal-stranger-')))
    plugin = join(folder, 'amodal-plugin-weather')
    await using registry = await startRegistry(packed)
    const from = ['--registry', registry.url, '--cache', join(packed, 'cache')]
    await run('npm', ['exec', '--yes', ...from, '--', 'create-amodal-plugin', 'weather'], {
      cwd: folder,
      env: env(),
    })
    await inPlugin('npm', 'install', ...from, '--no-audit', '--no-fund')
  }, 600_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('is green from the first minute, outside of any clone', { timeout: 300_000 }, async () => {
    expect(await inPlugin('npm', 'test')).toMatch(/Tests +\d+ passed/)
  })

  test('is packed, added, shown, and taken out again', { timeout: 300_000 }, async () => {
    await inPlugin('npm', 'pack', '--silent', '--pack-destination', packed)
    await using registry = await startRegistry(packed)
    const amodal = (...args: readonly string[]): Promise<string> =>
      run('npx', ['amodal', ...args, '--dir', 'with-weather'], {
        cwd: app,
        env: {
          ...env(),
          npm_config_registry: registry.url,
          npm_config_cache: join(packed, 'cache'),
          npm_config_legacy_peer_deps: 'true', // those of `app` are there already
        },
      }).then(
        ({ stdout }) => stdout,
        (cause: unknown) => {
          // of a child
          const { stdout, stderr } = cause as { readonly stdout: string; readonly stderr: string }
          return `failed: ${stdout}${stderr}`
        },
      )
    await inApp('npx', 'amodal', 'init', 'with-weather')
    const own = join(app, 'with-weather')
    await writeFile(join(own, 'package.json'), '{"private":true}')
    const before = await readFile(join(own, 'amodal.json'), 'utf8')

    expect(await amodal('plugins', 'add', 'no-such-plugin')).toMatch(
      /^failed: .*npm install failed/s,
    )
    const unfit = ['plugins', 'add', 'amodal-plugin-weather', '--config', '{"mots":1}']
    expect(await amodal(...unfit)).toMatch(/mots.*does not fit; amodal.json is as it was/s)
    expect(await readFile(join(own, 'amodal.json'), 'utf8')).toBe(before)

    const added = await amodal(
      'plugins',
      'add',
      'amodal-plugin-weather',
      '--config',
      '{"most":100}',
    )
    expect(added).toContain('amodal-plugin-weather 0.1.0 is listed in')
    expect(await amodal('plugins', 'list')).toMatch(/^weather +0\.1\.0 +amodal-plugin-weather/m)
    expect(await amodal('plugins', 'why', 'weather')).toContain('adds       tools: count_words')
    expect(await amodal('plugins', 'doctor')).toContain('Nothing is wrong')
    expect(await amodal('plugins', 'outdated')).toBe('All are up to date.\n')
    expect(await amodal('plugins', 'remove', 'amodal-plugin-weather')).toContain('is not listed')
    expect(await amodal('plugins', 'list')).not.toContain('weather')
    expect(await readdir(join(own, 'node_modules'))).not.toContain('amodal-plugin-weather')
  })

  test('is refused before its code is loaded, where it is made for another kernel', async () => {
    const own = join(folder, 'agent-of-another-kernel')
    await mkdir(own)
    const text = await readFile(join(plugin, 'package.json'), 'utf8')
    await writeFile(join(plugin, 'package.json'), text.replace('"kernel": 1', '"kernel": 99'))
    await writeFile(
      join(own, 'amodal.json'),
      '{"name":"x","plugins":["../amodal-plugin-weather/dist/index.js"]}',
    )
    const refused = await inApp('npx', 'amodal', 'validate', '--dir', own).catch(
      (cause: unknown) => String((cause as { readonly stdout: string }).stdout), // of a child
    )
    expect(refused).toContain('is made for kernel 99, and this one is 1: update amodal')
  })
})

test(
  'npm create amodal makes an agent with a package.json of its own',
  { timeout: 300_000 },
  async () => {
    await using registry = await startRegistry(packed)
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'amodal-created-')))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const from = ['--registry', registry.url, '--cache', join(packed, 'cache')]
    const said = await run('npm', ['exec', '--yes', ...from, '--', 'create-amodal', 'my-agent'], {
      cwd: folder,
      env: env(),
    })
    expect(said.stdout).toContain('npm start')
    const made = join(folder, 'my-agent')
    expect(JSON.parse(await readFile(join(made, 'package.json'), 'utf8'))).toMatchObject({
      name: 'my-agent',
      dependencies: { amodal: expect.stringMatching(/^\^\d/) as string },
    })
    expect(await readdir(made)).toContain('amodal.json')
  },
)
