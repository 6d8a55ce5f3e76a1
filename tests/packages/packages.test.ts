/**
 * The packages as strangers get them: packed, installed by npm into an empty folder, and used
 * there.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
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
import { bunOf, nodeOf } from '../../scripts/lib/runtimes.mjs'
import { publishedFolders } from '../../scripts/lib/releases.mjs'
import { isWhole, newRandom } from '../support/random.ts'
import { buildNextApp, BUNDLERS, startNextApp, writeNextApp } from './next-app.ts'
import { figuresIn, install, INSTALLS, NEAR, type Installed } from './installed.ts'
import { startRegistry } from './registry.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const tool = (name: string): string => join(root, 'node_modules', name)

/** Packages whose types are looked at in every resolution; all of them with `--all`. */
const SAMPLE = 10
/**
 * What the packages support; fetched where it is not the one that runs this, `undefined` where it
 * cannot be had.
 */
const NODES = await Promise.all(
  ([22, 24] as const).map(async (major) => ({ major, node: await nodeOf(root, major) })),
)

const BUN = await bunOf(root)

let packed = ''
let app = ''
let model: ModelServer
const env = (node: string = process.execPath): Record<string, string> => ({
  PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`,
  HOME: app,
  AMODAL_BASE_URL: model.url,
  AMODAL_MODEL: 'scripted',
  npm_config_update_notifier: 'false',
  NO_COLOR: '1',
})
const under = async (node: string, file: string, ...args: readonly string[]): Promise<string> =>
  (await run(file, args, { cwd: app, env: env(node), maxBuffer: 20_000_000 })).stdout
const inApp = (file: string, ...args: readonly string[]): Promise<string> =>
  under(process.execPath, file, ...args)
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

test('there is a tarball of each published package, and its licence is in it', async () => {
  const names = await Promise.all(
    publishedFolders(root).map(async (folder) => {
      const text = await readFile(join(root, folder, 'package.json'), 'utf8')
      return (JSON.parse(text) as { readonly name: string }).name // ours
    }),
  )
  const licence = await readFile(join(root, 'LICENSE'), 'utf8')
  const packedNames: string[] = []
  for (const file of await readdir(packed)) {
    if (!file.endsWith('.tgz')) continue
    const inside = async (name: string): Promise<string> =>
      (await run('tar', ['-xzOf', join(packed, file), `package/${name}`])).stdout
    expect(await inside('LICENSE'), file).toBe(licence)
    packedNames.push((JSON.parse(await inside('package.json')) as { readonly name: string }).name)
  }
  expect(packedNames.toSorted()).toEqual(names.toSorted())
})

describe.each(INSTALLS)('installed: $title', ({ title, packages, mostMb, mostPackages }) => {
  let installed: Installed
  beforeAll(async () => {
    await using registry = await startRegistry(packed)
    installed = await install(packages, {
      registry: registry.url,
      cache: join(packed, 'cache'),
      env: env(),
    })
    process.stdout.write(`${title}: ${installed.mb} MB in ${installed.packages} packages\n`)
  }, 300_000)

  test('stays within its gate', () => {
    expect(installed.mb).toBeLessThanOrEqual(mostMb)
    expect(installed.packages).toBeLessThanOrEqual(mostPackages)
  })

  test('is what README.md says', async () => {
    const told = figuresIn(await readFile(join(root, 'README.md'), 'utf8'), title)
    expect(told).toMatchObject({ mostMb, mostPackages })
    expect(Math.abs(told.mb / installed.mb - 1), `${installed.mb} MB`).toBeLessThan(NEAR)
    expect(Math.abs(told.packages / installed.packages - 1)).toBeLessThan(NEAR)
  })
})

const EMBED = `
  const agent = await createAgent({ bundle: defineBundle({ name: 'helper' }), env: process.env })
  const session = await agent.createSession({ userId: 'ann' })
  let text = ''
  for await (const event of session.stream('hello')) if (event.type === 'text_delta') text += event.content
  await agent.shutdown()
  console.log(text)
`
const EMBEDDINGS = {
  'embed.mjs': `import { createAgent } from '@amodal/presets'
    import { defineBundle } from '@amodal/sdk'
    ${EMBED}`,
  'embed.cjs': `const { createAgent } = require('@amodal/presets')
    const { defineBundle } = require('@amodal/sdk')
    void (async () => {${EMBED}})()`,
}

/** The agent in a folder, served by the command that a person types: what it answers. */
async function dev(
  node: string,
  folder: string,
  command: readonly [string, ...string[]] = ['npx', 'amodal'],
): Promise<unknown> {
  const [file, ...first] = command
  const server = spawn(file, [...first, 'dev', '--dir', folder, '--port', '0'], {
    cwd: app,
    env: env(node),
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
    return answer.json()
  }
  throw new Error('it ended before it served')
}

describe.each(NODES)('under Node $major', ({ major, node }) => {
  if (node === undefined) {
    const where = `${process.platform}-${process.arch}`
    test('runs', (context) => context.skip(`the registry has no Node ${major} for ${where}`))
    return
  }

  test('what follows runs under it', async () => {
    expect(await under(node, 'node', '-p', 'process.version')).toMatch(`v${major}.`)
  })

  test('npx amodal makes an agent and serves it', { timeout: 120_000 }, async () => {
    await under(node, 'npx', 'amodal', 'init', `agent-${major}`)
    expect(await dev(node, `agent-${major}`)).toMatchObject({ response: 'Hello from the model.' })
  })

  test.each(Object.entries(EMBEDDINGS))('an embedding answers: %s', async (name, text) => {
    await put(name, text)
    expect(await under(node, node, name)).toBe('Hello from the model.\n')
  })
})

describe('under Bun', () => {
  if (BUN === undefined) {
    const where = `${process.platform}-${process.arch}`
    test('runs', (context) => context.skip(`the registry has no Bun for ${where}`))
    return
  }

  test('amodal serves an agent', { timeout: 120_000 }, async () => {
    await inApp('npx', 'amodal', 'init', 'agent-bun')
    const command = [BUN, 'node_modules/amodal/dist/bin.js'] as const
    expect(await dev(process.execPath, 'agent-bun', command)).toMatchObject({
      response: 'Hello from the model.',
    })
  })

  test.each(Object.entries(EMBEDDINGS))('an embedding answers: %s', async (name, text) => {
    await put(name, text)
    expect(await inApp(BUN, name)).toBe('Hello from the model.\n')
  })
})

describe('an embedding answers', () => {
  beforeAll(() => put('embed.mjs', EMBEDDINGS['embed.mjs']))

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

test(
  'an embedding in Next.js answers from the standalone output',
  { timeout: 600_000 },
  async (context) => {
    if (!isWhole()) return context.skip('it builds for a minute: npm test -- tests/packages --all')
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'amodal-next-')))
    onTestFinished(async () => {
      for (const path of [folder, ...BUNDLERS.map((bundler) => `${folder}-${bundler}`)])
        await rm(path, { recursive: true, force: true })
    })
    await writeNextApp(folder)
    {
      await using registry = await startRegistry(packed)
      const from = ['--registry', registry.url, '--cache', join(packed, 'cache')]
      const wanted = ['next', 'react', 'react-dom', '@amodal/presets', '@amodal/sdk', 'zod']
      await run('npm', ['install', ...wanted, ...from, '--no-audit', '--no-fund'], {
        cwd: folder,
        env: env(),
      })
    }
    const outputs: string[] = []
    for (const bundler of BUNDLERS) outputs.push(await buildNextApp(folder, bundler, env()))
    await rm(folder, { recursive: true })
    for (const output of outputs) {
      await using server = await startNextApp(output, env())
      const answer = await fetch(`${server.url}/api/ask`, { method: 'POST', body: 'hello' })
      expect(await answer.text(), output).toBe('Hello from the model.')
    }
  },
)

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
    const shown = await amodal('plugins', 'add', 'amodal-plugin-weather')
    expect(shown).toMatch(/adds to tools\n.*PLUGIN_NOT_ACCEPTED/s)
    expect(await readFile(join(own, 'amodal.json'), 'utf8')).toBe(before)
    expect(await readdir(own)).not.toContain('amodal.lock')

    const config = ['--config', '{"most":100}', '--yes']
    const added = await amodal('plugins', 'add', 'amodal-plugin-weather', ...config)
    expect(added).toContain('amodal-plugin-weather 0.1.0 is listed in')
    expect(await readFile(join(own, 'amodal.lock'), 'utf8')).toMatch(/"integrity": "sha512-/)
    expect(JSON.parse(await readFile(join(own, 'package.json'), 'utf8'))).toMatchObject({
      dependencies: { 'amodal-plugin-weather': '0.1.0' },
    })
    expect(await amodal('plugins', 'list')).toMatch(/^weather +0\.1\.0 +amodal-plugin-weather/m)
    expect(await amodal('plugins', 'why', 'weather')).toContain('adds       tools: count_words')
    expect(await amodal('plugins', 'doctor')).toContain('Nothing is wrong')
    expect(await amodal('plugins', 'outdated')).toBe('All are up to date.\n')
    const code = join(own, 'node_modules/amodal-plugin-weather/dist/index.js')
    const text = await readFile(code, 'utf8')
    await writeFile(code, `${text}\n// changed`)
    expect(await amodal('plugins', 'list')).toMatch(/^failed: .*PLUGIN_DRIFT/s)
    await writeFile(code, text)
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

describe('a plugin of a stranger with all that a plugin can have', () => {
  let folder = ''
  let plugin = ''
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'amodal-whole-')))
    plugin = join(folder, 'office-hours')
    await cp(join(root, 'examples/third-party-plugin'), plugin, {
      recursive: true,
      filter: (file) => !/node_modules|dist/.test(file.slice(root.length)),
    })
    await using registry = await startRegistry(packed)
    const from = ['--registry', registry.url, '--cache', join(packed, 'cache')]
    await run('npm', ['install', ...from, '--no-audit', '--no-fund'], { cwd: plugin, env: env() })
  }, 600_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const inPlugin = async (...args: readonly string[]): Promise<string> =>
    (await run(args[0] ?? '', args.slice(1), { cwd: plugin, env: env() })).stdout

  test('its types are good, and its own tests pass', { timeout: 300_000 }, async () => {
    expect(await inPlugin('npm', 'test')).toMatch(/Tests +\d+ passed/)
  })

  test('its command is one of the command line, and inspect shows it', async () => {
    await inPlugin('npm', 'run', 'build')
    const help = await inPlugin('npx', 'amodal', '--help', '--dir', 'agent')
    expect(help).toMatch(/office-hours notes +List the notes/)
    expect(await inPlugin('npx', 'amodal', 'office-hours', 'notes', '--dir', 'agent')).toBe('')
    const shown = await inPlugin('npx', 'amodal', 'inspect', '--plugins', '--dir', 'agent')
    expect(shown).toContain('OFFICE_CLOSED ← office-hours')
    expect(shown).toContain('office-hours.note_taken ← office-hours')
  })

  test('what it does stands in its package.json, and more than that is refused', async () => {
    const says = join(plugin, 'package.json')
    const text = JSON.stringify(JSON.parse(await readFile(says, 'utf8')))
    await writeFile(says, text)
    expect(await inPlugin('npx', 'amodal', 'plugins', 'manifest', '--check')).toContain(
      'says what office-hours does',
    )
    await writeFile(says, text.replace('"tool.guard"', '"tool.call"').replace('"commands",', ''))
    const refused = (...args: readonly string[]): Promise<string> =>
      inPlugin('npx', 'amodal', ...args).catch((cause: unknown) => {
        const { stdout, stderr } = cause as { readonly stdout: string; readonly stderr: string }
        return `failed: ${stdout}${stderr}` // of a child
      })
    expect(await refused('plugins', 'manifest', '--check')).toMatch(/^failed: .*does not say/s)
    const start = await refused('inspect', '--dir', 'agent')
    expect(start).toMatch(/UNDECLARED +office-hours taps "tool\.guard"/)
    expect(start).toMatch(/UNDECLARED +office-hours adds "commands"/)
    await inPlugin('npm', 'run', 'manifest')
    expect(JSON.parse(await readFile(says, 'utf8'))).toEqual(JSON.parse(text))
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
    const agent = join(folder, 'my-agent')
    expect(JSON.parse(await readFile(join(agent, 'package.json'), 'utf8'))).toMatchObject({
      name: 'my-agent',
      dependencies: { amodal: expect.stringMatching(/^\^\d/) as string },
    })
    expect(await readdir(agent)).toContain('amodal.json')
  },
)
