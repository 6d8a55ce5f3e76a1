import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { amodal, folder, pluginSource, type Said, type TerminalOptions } from './support.ts'

// Packages of strangers, as tarballs: npm reaches no network here.

const run = promisify(execFile)
const NAME = 'amodal-plugin-mine'
const CAPABILITIES = {
  adds: ['prompt-sections'],
  hosts: ['api.mine.example'],
  secrets: ['MINE_KEY'],
}
const MANIFEST = { plugin: 'mine', kernel: 1, capabilities: CAPABILITIES }
const SETUP =
  "add({ kind: 'registry', id: 'prompt-sections', key: Symbol.for('amodal.registry/prompt-sections') }, 'mine', { sections: () => [] })"

let scratch = ''
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'amodal-tarballs-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

interface Package {
  readonly name?: string
  readonly version?: string
  readonly source?: string
  readonly setup?: string
  readonly amodal?: {
    readonly plugin: string
    readonly kernel: number
    readonly slots?: Readonly<Record<string, number>>
    readonly errors?: readonly string[]
    readonly capabilities?: Readonly<Record<string, readonly string[]>>
  }
  readonly more?: object
}

/** The files of a package, which says when its code is loaded. */
function filesOf({ name = NAME, version = '1.0.0', source = '', ...others }: Package) {
  const { amodal: manifest = MANIFEST, more = {}, setup = SETUP } = others
  const reaches = JSON.stringify(manifest.capabilities ?? {})
  return {
    'package.json': JSON.stringify({
      name,
      version,
      type: 'module',
      license: 'MIT',
      keywords: ['amodal-plugin'],
      exports: './index.js',
      amodal: manifest,
      ...more,
    }),
    'index.js': `globalThis.loadedPlugins = [...(globalThis.loadedPlugins ?? []), import.meta.url]\n${source}\n${pluginSource(setup, `reaches: ${reaches}`)}`,
  }
}

async function write(dir: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
}

/** The path of its tarball. */
async function packed(about: Package = {}): Promise<string> {
  const made = await mkdtemp(join(scratch, 'p-'))
  await write(join(made, 'package'), filesOf(about))
  const file = join(made, 'plugin.tgz')
  await run('tar', ['-czf', file, '-C', made, 'package'])
  return file
}

/** Puts it where npm would have, for what is not about npm. */
const placed = (here: Agent, about: Package = {}): Promise<void> =>
  write(join(here.dir, 'node_modules', about.name ?? NAME), filesOf(about))
const ADD = ['plugins', 'add', NAME, '--no-install', '--yes']

interface Agent {
  readonly dir: string
  readonly run: (argv: readonly string[], options?: TerminalOptions) => Promise<Said>
  readonly read: (path: string) => Promise<string>
  readonly lock: () => Promise<{ readonly plugins: Readonly<Record<string, unknown>> }>
}

async function agent(files: Readonly<Record<string, string>> = {}): Promise<Agent> {
  const here = await folder({
    'amodal.json': '{ "name": "tiny", "userContext": "You are tiny." }',
    'package.json': '{"private":true}',
    ...files,
  })
  onTestFinished(() => here[Symbol.asyncDispose]())
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: scratch,
    npm_config_offline: 'true',
    npm_config_cache: join(scratch, 'cache'),
    npm_config_update_notifier: 'false',
    MINE_KEY: 'set',
  }
  const read = (path: string): Promise<string> => readFile(join(here.dir, path), 'utf8')
  return {
    dir: here.dir,
    read,
    run: (argv, options = {}) =>
      amodal([...argv, '--dir', here.dir], { ...options, env: { ...env, ...options.env } }),
    // written by the command under test
    lock: async () => JSON.parse(await read('amodal.lock')) as Awaited<ReturnType<Agent['lock']>>,
  }
}

/** Whether code of this folder has been loaded by this process, as `filesOf` has it say. */
function isLoaded(dir: string): boolean {
  const { loadedPlugins = [] } = globalThis as { readonly loadedPlugins?: readonly string[] }
  return loadedPlugins.some((url) => url.includes(dir))
}

async function accepted(about: Package = {}): Promise<Agent> {
  const here = await agent()
  const added = await here.run(['plugins', 'add', await packed(about), '--yes'])
  expect(added).toMatchObject({ code: 0 })
  return here
}

describe('plugins add', () => {
  test('shows what a package may do, and writes nothing unless it is accepted', async () => {
    const here = await agent()
    const before = await here.read('amodal.json')
    const file = await packed()
    for (const options of [{}, { interactive: true, lines: [''] }]) {
      const said = await here.run(['plugins', 'add', file], options)
      expect(said.code).toBe(1)
      expect(said.out).toMatch(/sends requests to api\.mine\.example/)
      expect(said.out).toMatch(/reads the secrets MINE_KEY/)
      expect(said.out).toMatch(/integrity +sha512-/)
      expect(said.err).toMatch(/^PLUGIN_NOT_ACCEPTED: .*\nWhat to do: .*--yes/)
    }
    expect(await here.read('amodal.json')).toBe(before)
    expect(
      ['amodal.lock', 'node_modules'].filter((one) => existsSync(join(here.dir, one))),
    ).toEqual([])
  })

  test('installs exactly that, lists it and keeps what was accepted, and runs nothing', async () => {
    const here = await agent()
    const added = await here.run(['plugins', 'add', await packed()], {
      interactive: true,
      lines: ['y'],
    })
    expect(added).toMatchObject({ code: 0, err: '' })
    expect(added.out).toContain('Take in amodal-plugin-mine? [y/n]')
    expect(JSON.parse(await here.read('amodal.json'))).toMatchObject({ plugins: [NAME] })
    expect((await here.lock()).plugins[NAME]).toMatchObject({
      version: '1.0.0',
      integrity: expect.stringMatching(/^sha512-/) as string,
      content: expect.stringMatching(/^sha512-/) as string,
      capabilities: { hosts: ['api.mine.example'], secrets: ['MINE_KEY'], processes: [] },
    })
    expect(isLoaded(here.dir)).toBe(false)
    expect((await here.run(['plugins', 'list'])).out).toMatch(/^mine +1\.0\.0 +amodal-plugin-mine/m)
    expect(isLoaded(here.dir)).toBe(true)
    expect(await here.run(['plugins', 'doctor'])).toMatchObject({
      code: 0,
      out: 'Nothing is wrong with: amodal-plugin-mine.\n',
    })
  })

  test('runs no install script, and refuses a package that has one', async () => {
    const here = await agent()
    const mark = join(here.dir, 'ran')
    const more = { scripts: { postinstall: `node -e "fs.writeFileSync('${mark}','')"` } }
    const said = await here.run(['plugins', 'add', await packed({ more }), '--yes'])
    expect(said.code).toBe(1)
    expect(said.out).toMatch(/✗ INSTALL_SCRIPT {2}.*postinstall when it is installed\n +fix: /)
    expect(said.err).toMatch(/^PLUGIN_REFUSED: .*nothing was written/)
    expect(existsSync(mark)).toBe(false)
  })

  test.each([
    [
      "import { spawn } from 'node:child_process'",
      /UNDECLARED.*index\.js:2 child_process.*`processes`/,
    ],
    ["const load = () => require('net')", /opens connections past.*index\.js:2 net/],
    ["fetch('https://evil.test')", /index\.js:2 fetch/],
    ["export const vm = await import('node:vm')", /runs code that the kernel cannot see.*vm/],
    ["eval(atob('MSsx'))", /OBFUSCATED.*index\.js:2 eval/],
    [
      Array.from({ length: 20 }, (_, at) => `const _0x${4_000 + at} = 1`).join(';'),
      /OBFUSCATED.*mangled names/,
    ],
  ])('finds what a package does beyond what it says: %s', async (source, says) => {
    const here = await agent()
    const manifest = { ...MANIFEST, capabilities: { ...CAPABILITIES, hosts: [] } }
    await placed(here, { source, amodal: manifest })
    const said = await here.run(ADD)
    expect(said.code).toBe(1)
    expect(said.out).toMatch(says)
    expect(existsSync(join(here.dir, 'amodal.lock'))).toBe(false)
  })

  test('passes over comments, and over what is declared', async () => {
    const source = `// import 'node:child_process'
      /* eval('1') */
      const routes = { fetch(request) { return new Response(request.url) } }
      import { existsSync } from 'node:fs'
      const key = process.env.MINE_KEY + process.env.NODE_ENV`
    const capabilities = { ...CAPABILITIES, files: ['.cache'] }
    const here = await agent()
    await placed(here, { source, amodal: { ...MANIFEST, capabilities } })
    expect((await here.run(ADD)).code).toBe(0)
    expect((await here.run(['plugins', 'doctor'])).out).toMatch(/^Nothing is wrong/)
  })

  test('takes in what is undeclared where that is asked for, and doctor goes on to say so', async () => {
    const here = await agent()
    await placed(here, { source: "import 'node:child_process'" })
    const added = await here.run([...ADD, '--allow-undeclared'])
    expect(added.code).toBe(0)
    const doctor = await here.run(['plugins', 'doctor'])
    expect(doctor).toMatchObject({ code: 0, out: expect.stringMatching(/^! UNDECLARED/) as string })
  })

  test.each([
    ['another kernel', { ...MANIFEST, kernel: 99 }, {}, /KERNEL_VERSION.*kernel 99/],
    [
      'another version of a slot',
      { ...MANIFEST, slots: { outbound: 9 } },
      {},
      /version 9 of "outb/,
    ],
    ['another sdk', MANIFEST, { '@amodal/sdk': '^9.0.0' }, /PEER_RANGE.*\^9\.0\.0, and 0\.1\.0/],
  ])('refuses what is made for %s, unless that is asked for', async (_, manifest, peers, says) => {
    const here = await agent()
    await placed(here, { amodal: manifest, more: { peerDependencies: peers } })
    const refused = await here.run(ADD)
    expect([refused.code, refused.out]).toEqual([1, expect.stringMatching(says)])
    const added = await here.run([...ADD, '--ignore-compat'])
    expect(added).toMatchObject({ code: 0, out: expect.stringContaining('WARNING: ') as string })
    expect(JSON.parse(await here.read('amodal.json'))).toMatchObject({
      plugins: [{ use: NAME, ignoreCompat: true }],
    })
    expect(await here.run(['plugins', 'list'])).toMatchObject({ code: 0 })
    expect(await here.run(['plugins', 'doctor'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^! (KERNEL_VERSION|PEER_RANGE)/) as string,
    })
  })

  test('names the plugin that has a code or an event already', async () => {
    const here = await agent()
    const manifest = { ...MANIFEST, errors: ['PLUGIN_REFUSED'] }
    await placed(here, { amodal: manifest })
    const said = await here.run(ADD)
    expect([said.code, said.out]).toEqual([
      1,
      expect.stringMatching(
        /DUPLICATE_NAME {2}amodal-plugin-mine and plugin-manager both define the error code "PLUGIN_REFUSED"/,
      ),
    ])
  })

  test('shows what another version does more, and keeps that once it is accepted', async () => {
    const here = await accepted()
    const hosts = ['api.mine.example', 'more.example']
    const next = await packed({
      version: '1.1.0',
      amodal: { ...MANIFEST, capabilities: { ...CAPABILITIES, hosts, secrets: [] } },
    })
    const shown = await here.run(['plugins', 'add', next])
    expect(shown.out).toMatch(
      /Since version 1\.0\.0:\n +\+ sends requests to more\.example\n +- reads the secrets MINE_KEY/,
    )
    expect((await here.run(['plugins', 'add', next, '--yes'])).code).toBe(0)
    expect((await here.lock()).plugins[NAME]).toMatchObject({ version: '1.1.0' })
    expect(JSON.parse(await here.read('amodal.json'))).toMatchObject({ plugins: [NAME] })
  })

  test('accepts a folder that is linked, whose files may change and whose reach may not', async () => {
    const here = await agent()
    const work = await mkdtemp(join(scratch, 'work-'))
    await write(work, filesOf({}))
    await mkdir(join(here.dir, 'node_modules'))
    await symlink(work, join(here.dir, 'node_modules', NAME))
    expect(await here.run(['plugins', 'add', NAME, '--no-install', '--yes'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('(a link)') as string,
    })
    await writeFile(join(work, 'notes.txt'), 'mine')
    expect((await here.run(['plugins', 'list'])).code).toBe(0)
    const capabilities = { ...CAPABILITIES, hosts: ['*'] }
    await write(work, filesOf({ amodal: { ...MANIFEST, capabilities } }))
    expect(await here.run(['plugins', 'list'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/PLUGIN_DRIFT.*sends requests to \*/) as string,
    })
  })
})

describe('a start', () => {
  test('refuses files that were changed after they were accepted, before they are loaded', async () => {
    const here = await accepted()
    await writeFile(join(here.dir, 'node_modules', NAME, 'index.js'), 'globalThis.evil = true')
    const listed = await here.run(['plugins', 'list'])
    expect(listed.code).toBe(1)
    expect(listed.err).toMatch(/PLUGIN_DRIFT.*"amodal-plugin-mine" is not what amodal\.lock has/)
    expect(globalThis).not.toHaveProperty('evil')
    const doctor = await here.run(['plugins', 'doctor'])
    expect(doctor.code).toBe(1)
    expect(doctor.out.match(/PLUGIN_DRIFT/g)).toHaveLength(1)
    expect(doctor.out).toMatch(/ +fix: install amodal-plugin-mine@1\.0\.0 again, or read what ch/)
  })

  test('says all that does not fit at once, before anything of it is loaded', async () => {
    const here = await agent({
      'amodal.json': JSON.stringify({ name: 'x', plugins: [NAME, 'amodal-plugin-other'] }),
    })
    const slots = { outbound: 9, secrets: 8 }
    for (const name of [NAME, 'amodal-plugin-other'])
      await write(
        join(here.dir, 'node_modules', name),
        filesOf({ name, amodal: { ...MANIFEST, kernel: 99, slots } }),
      )
    const { code, err } = await here.run(['plugins', 'list'])
    expect(code).toBe(1)
    for (const name of [NAME, 'amodal-plugin-other'])
      expect(err).toMatch(
        new RegExp(
          `"${name}" is made for kernel 99.*"${name}" knows version 9 of "outbound", and outbound version 1.*version 8 of "secrets"`,
        ),
      )
    expect(isLoaded(here.dir)).toBe(false)
  })

  test('refuses a plugin that makes a table which its package does not name', async () => {
    const here = await agent({ 'amodal.json': JSON.stringify({ name: 'x', plugins: [NAME] }) })
    const migrations =
      "{ kind: 'registry', id: 'migrations', key: Symbol.for('amodal.registry/migrations') }"
    const steps =
      "{ plugin: 'mine', tenantTables: [], migrations: [{ name: 'a', sql: 'create table mine_a(x int)' }] }"
    const adding = `add(${migrations}, 'mine', ${steps})`
    const capabilities = { adds: ['migrations'] }
    await placed(here, { setup: adding, amodal: { ...MANIFEST, capabilities } })
    const listed = await here.run(['plugins', 'list'])
    expect([listed.code, listed.err]).toEqual([
      1,
      expect.stringMatching(/UNDECLARED.*mine wants "mine_a", which is not among the `tables`/),
    ])
    const named = { adds: ['migrations'], tables: ['mine_a'] }
    const other = await agent({ 'amodal.json': JSON.stringify({ name: 'x', plugins: [NAME] }) })
    await placed(other, { setup: adding, amodal: { ...MANIFEST, capabilities: named } })
    expect((await other.run(['plugins', 'list'])).err).not.toContain('UNDECLARED')
  })

  test('refuses a lock that nobody can read', async () => {
    const here = await accepted()
    await writeFile(join(here.dir, 'amodal.lock'), '{ "lockVersion": 7 }')
    expect(await here.run(['plugins', 'list'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/amodal\.lock is no lock of plugins: `lockVersion`/) as string,
    })
  })
})

describe('plugins doctor', () => {
  const findings = async (here: Agent, env = {}): Promise<Readonly<Record<string, string>>> => {
    const { out } = await here.run(['plugins', 'doctor', '--json'], { env })
    const all = JSON.parse(out) as readonly { readonly code: string; readonly severity: string }[]
    return Object.fromEntries(all.map(({ code, severity }) => [code, severity]))
  }

  test('tells of capabilities that were not accepted', async () => {
    const here = await accepted()
    const capabilities = { ...CAPABILITIES, processes: ['git'] }
    await write(
      join(here.dir, 'node_modules', NAME),
      filesOf({ amodal: { ...MANIFEST, capabilities } }),
    )
    const { code, out } = await here.run(['plugins', 'doctor'])
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/^✗ CAPABILITIES_CHANGED .*starts the programs git, which version 1/),
    ])
  })

  test('tells of secrets that are not set; .env sets them', async () => {
    const here = await accepted()
    expect(await findings(here, { MINE_KEY: '' })).toMatchObject({ SECRET_MISSING: 'error' })
    await writeFile(join(here.dir, '.env'), 'MINE_KEY=abc\n')
    expect(await findings(here, { MINE_KEY: undefined })).toEqual({})
  })

  test('tells of a second copy of what plugins share', async () => {
    const here = await accepted()
    await write(join(here.dir, 'node_modules', NAME, 'node_modules/zod'), {
      'package.json': '{"name":"zod","version":"4.0.0"}',
    })
    expect(await findings(here)).toEqual({ DUPLICATE_PACKAGE: 'warning' })
  })

  test('tells of a manifest that is not what the code does', async () => {
    const capabilities = { ...CAPABILITIES, taps: ['tool.guard'] }
    const here = await accepted({ amodal: { ...MANIFEST, capabilities } })
    expect(await findings(here)).toEqual({ MANIFEST_DRIFT: 'warning' })
  })

  test('tells of what nobody has accepted, of what is gone, and of what is no plugin', async () => {
    const here = await accepted()
    await write(
      join(here.dir, 'node_modules/short'),
      filesOf({ name: 'short', amodal: { plugin: 'short', kernel: 1 } }),
    )
    await writeFile(join(here.dir, 'amodal.json'), '{"name":"x","plugins":["short","gone"]}')
    expect(await findings(here)).toMatchObject({
      NOT_LOCKED: 'warning',
      NO_MANIFEST: 'warning',
      PACKAGE_NAME: 'warning',
      LOCK_STALE: 'warning',
      PLUGIN_NOT_FOUND: 'error',
    })
  })
})

test('plugins remove takes the acceptance back, too', async () => {
  const here = await accepted()
  const removed = await here.run(['plugins', 'remove', NAME])
  expect(removed).toMatchObject({ code: 0, err: '' })
  expect(await here.lock()).toEqual({ lockVersion: 1, plugins: {} })
  expect(JSON.parse(await here.read('amodal.json'))).toMatchObject({ plugins: [] })
  expect(existsSync(join(here.dir, 'node_modules', NAME))).toBe(false)
})

test('plugins outdated says why it cannot know, without a network', async () => {
  const here = await accepted()
  const said = await here.run(['plugins', 'outdated'])
  expect(said.code === 0 || said.err.includes('npm outdated failed')).toBe(true)
})
