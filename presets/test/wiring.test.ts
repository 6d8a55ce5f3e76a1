import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { explain, isPlugin, resolvePlan, type Entry, type Plugin } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { PLUGINS, PRESETS, PROVIDERS } from '../src/builtin.ts'
import { pluginsIn } from '../src/config/entries.ts'
import { explainStart } from '../src/config/explain.ts'
import { findPlugin } from '../src/config/find.ts'
import type { FolderOptions } from '../src/config/folder.ts'
import { readFolder, startFolder } from '../src/config/start.ts'
import { definePreset, type Preset } from '../src/define-preset.ts'
import { folder, pluginSource } from './support.ts'

/** The entries of a folder that has these `plugins`. */
async function wired(
  files: Readonly<Record<string, string | object>>,
  options: Partial<FolderOptions> = {},
): Promise<readonly Entry[]> {
  await using here = await folder(files)
  const read = await readFolder({ dir: here.dir, env: {}, ...options })
  if (!read.ok) throw new Error(explainStart(read.error).replaceAll(here.dir, 'DIR'))
  return read.value.entries
}
const manifest = (...plugins: readonly unknown[]) => ({ 'amodal.json': { name: 'tiny', plugins } })
const last = (entries: readonly Entry[], name: string): Entry | undefined =>
  entries.findLast((entry) =>
    entry.kind === 'without' ? entry.name === name : entry.plugin.name === name,
  )
const refusal = async (
  files: Readonly<Record<string, string | object>>,
  options?: Partial<FolderOptions>,
): Promise<string> => {
  const told = await wired(files, options).then(
    () => 'it was taken',
    (cause: Error) => cause.message,
  )
  return told
}

describe('`plugins` of amodal.json', () => {
  test('names a builtin', async () => {
    expect(
      last(await wired(manifest('model-demo'), { preset: 'embedded' }), 'model-demo'),
    ).toMatchObject({ kind: 'use', options: { source: 'builtin' } })
  })

  test('names a builtin with its config', async () => {
    expect(last(await wired(manifest(['stores', { maxBatch: 7 }])), 'stores')).toMatchObject({
      kind: 'use',
      config: { maxBatch: 7 },
    })
  })

  test.each(['./mine.ts', './lib/../mine.ts', 'file:'])('names a path: %s', async (path) => {
    await using here = await folder({ 'mine.ts': pluginSource() })
    const name = path === 'file:' ? `file://${here.dir}/mine.ts` : path
    const found = await findPlugin(name, join(here.dir, 'amodal.json'))
    expect(found).toMatchObject({ ok: true, value: { source: name, plugin: { name: 'mine' } } })
    expect(await findPlugin(join(here.dir, 'mine.ts'), '/elsewhere/amodal.json')).toMatchObject({
      ok: true,
    })
  })

  test('names a package by its exact name, as it is installed for the agent', async () => {
    const source = pluginSource()
    await using here = await folder({
      // What a package offers to `import` alone, `require.resolve` does not find; of two builds it
      // takes the wrong one.
      'node_modules/@acme/amodal-jira/package.json': {
        name: '@acme/amodal-jira',
        type: 'module',
        exports: {
          '.': { types: './esm.d.ts', require: './no.cjs', import: './esm.js' },
          './more': [{ node: { import: './more.js' } }],
          './gone': './gone.js',
          './all/*': './*.js',
        },
      },
      'node_modules/@acme/amodal-jira/esm.js': source,
      'node_modules/@acme/amodal-jira/more.js': source,
      'node_modules/short/package.json': { name: 'short', type: 'module', exports: './short.js' },
      'node_modules/short/short.js': source,
      'node_modules/plain/package.json': { name: 'plain', main: './main.cjs' },
      'node_modules/plain/main.cjs': source.replace('export default', 'module.exports ='),
    })
    const file = join(here.dir, 'amodal.json')
    for (const name of [
      '@acme/amodal-jira',
      '@acme/amodal-jira/more',
      '@acme/amodal-jira/all/more',
      'short',
      'plain',
      'plain/main.cjs',
    ])
      expect(await findPlugin(name, file), name).toMatchObject({
        ok: true,
        value: { source: name, plugin: { name: 'mine' } },
      })
    // No prefix is tried, and none is left out.
    for (const name of [
      'jira',
      'amodal-jira',
      '@acme/jira',
      '@acme/amodal-jira/less',
      '@acme/amodal-jira/gone',
      'short/more',
      'My Plugin!',
      'fs',
      '#short',
      'data:text/javascript,',
      '',
    ])
      expect(await findPlugin(name, file), name).toMatchObject({
        ok: false,
        error: { code: 'PLUGIN_NOT_FOUND' },
      })
  })

  test('takes no name for more than it is', async () => {
    await using here = await folder()
    expect(await findPlugin('@amodal/plugin-gone', join(here.dir, 'amodal.json'))).toMatchObject({
      ok: false,
      error: { code: 'PLUGIN_NOT_FOUND' },
    })
    expect(await findPlugin('plugin-http', join(here.dir, 'amodal.json'))).toMatchObject({
      ok: false,
      error: { code: 'PLUGIN_NOT_FOUND' },
    })
    for (const name of ['constructor', 'toString', '__proto__'])
      expect(await findPlugin(name, join(here.dir, 'amodal.json'))).toMatchObject({ ok: false })
  })

  test('says how a plugin is used', async () => {
    const item = {
      use: './mine.ts',
      as: 'mine-too',
      config: { a: 1 },
      optional: true,
      trusted: true,
    }
    expect(
      last(await wired({ ...manifest(item), 'mine.ts': pluginSource() }), 'mine'),
    ).toMatchObject({
      kind: 'use',
      config: { a: 1 },
      options: { as: 'mine-too', optional: true, trusted: true, source: './mine.ts' },
    })
  })

  test('puts a plugin in the place of another', async () => {
    const entries = await wired({
      ...manifest({ use: './mine.ts', replaces: 'knowledge' }),
      'mine.ts': pluginSource(),
    })
    expect([...pluginsIn(entries).keys()]).toContain('mine')
    expect([...pluginsIn(entries).keys()]).not.toContain('knowledge')
  })

  test('leaves a plugin out', async () => {
    expect([...pluginsIn(await wired(manifest({ without: 'knowledge' }))).keys()]).not.toContain(
      'knowledge',
    )
    expect(
      last(await wired(manifest({ without: 'knowledge', unsafe: true })), 'knowledge'),
    ).toEqual({ kind: 'without', name: 'knowledge', unsafe: true })
  })

  test('is refused as a whole, with every reason and its line', async () => {
    const text =
      '{\n  "name": "tiny",\n  "plugins": [\n    "memroy",\n    "./none.ts",\n    "./empty.ts",\n    "./throws.ts",\n    "./misses.ts"\n  ]\n}'
    const told = await refusal({
      'amodal.json': text,
      'empty.ts': 'export const plugin = 1',
      'throws.ts': "throw new Error('not today')",
      'misses.ts': "import 'no-such-package'",
    })
    expect(told).toMatch(
      / {2}PLUGIN_NOT_FOUND {2}amodal\.json:4 {2}"memroy" is no builtin plugin \(there are: .*chat, .*db-pglite, /,
    )
    expect(told).toContain('  PLUGIN_NOT_FOUND  amodal.json:5  there is no file DIR/none.ts')
    expect(told).toContain(
      '  NOT_A_PLUGIN  amodal.json:6  "./empty.ts" has no plugin as its default export',
    )
    expect(told).toContain(
      '  PLUGIN_FAILED  amodal.json:7  "./throws.ts" cannot be loaded: not today',
    )
    expect(told).toMatch(
      /PLUGIN_FAILED {2}amodal\.json:8 {2}"\.\/misses\.ts" cannot be loaded: .*no-such-package/,
    )
  })

  test.each([
    [7, '`plugins.0`: Invalid input: expected object, received number; write a name'],
    [[], '`plugins.0`: Invalid input: expected object, received array; write a name'],
    [
      ['stores', {}, 1],
      '`plugins.0`: Invalid input: expected object, received array; write a name',
    ],
    [{ use: 'stores', confg: {} }, '`plugins.0`: Unrecognized key: "confg"'],
    [
      { use: 'stores', optional: 'yes' },
      '`plugins.0.optional`: Invalid input: expected boolean, received string',
    ],
    [{ without: 7 }, '`plugins.0.without`: Invalid input: expected string, received number'],
    [{ use: '' }, '`plugins.0.use`: Too small'],
  ])('is refused where it has no form: %j', async (item, message) => {
    expect(await refusal(manifest(item))).toContain(message)
  })

  test('may hold comments, as may the file', async () => {
    expect([
      ...pluginsIn(
        await wired({
          'amodal.json':
            '{\n  // mine\n  "name": "tiny", /* all */ "plugins": [{ "without": "knowledge" },],\n}',
        }),
      ).keys(),
    ]).not.toContain('knowledge')
  })
})

const sealing = pluginSource(
  "k.tap({ name: 'event.emit', spec: { kind: 'syncWaterfall', policy: { onError: 'fail' } } }, (event) => event, { stage: 'seal' })",
)

describe('the plan says what is wrong with a list', () => {
  const started = async (files: Readonly<Record<string, string | object>>): Promise<string> => {
    await using here = await folder(files)
    const made = await startFolder({
      dir: here.dir,
      env: { LOG_LEVEL: 'none' },
      port: 0,
      inMemory: true,
    })
    if (!made.ok) return explainStart(made.error)
    await made.value.close()
    return 'it started'
  }

  test.each([
    [
      'a removal of what is not there',
      manifest({ without: 'session-archive' }),
      'UNKNOWN_ENTRY  cannot leave out "session-archive": it is not in the list',
    ],
    [
      'config that does not fit',
      manifest(['stores', { maxBatch: 'many' }]),
      'BAD_CONFIG  config of stores, `maxBatch`: ',
    ],
    [
      'config that is no object',
      manifest(['stores', 7]),
      'BAD_CONFIG  config of stores: must be an object',
    ],
    [
      'a slot that nobody fills',
      manifest({ without: 'prompt' }, { without: 'secrets-env' }),
      'add secrets-env',
    ],
    ['two for one slot', manifest('stores-memory', 'stores-database'), 'SLOT_CONFLICT'],
    [
      'a plugin made for another kernel',
      { ...manifest('./mine.ts'), 'mine.ts': pluginSource('', 'kernel: 2') },
      'KERNEL_VERSION  mine 1.0.0 is made for kernel 2; this one is 1',
    ],
    [
      'a tap at seal by one who is not trusted',
      { ...manifest('./mine.ts'), 'mine.ts': sealing },
      'UNTRUSTED_SEAL',
    ],
  ])('%s', async (_what, files, message) => {
    expect(await started(files)).toContain(message)
  })

  test('a trusted one may tap at seal; an optional one may fail', async () => {
    expect(
      await started({ ...manifest({ use: './mine.ts', trusted: true }), 'mine.ts': sealing }),
    ).toBe('it started')
    expect(
      await started({
        ...manifest({ use: './mine.ts', optional: true }),
        'mine.ts': pluginSource("throw new Error('no')"),
      }),
    ).toBe('it started')
  })
})

describe('the rest of amodal.json and the environment', () => {
  const options = async (
    files: Readonly<Record<string, string | object>>,
    more: Partial<FolderOptions> = {},
  ) => {
    await using here = await folder(files)
    const read = await readFolder({ dir: here.dir, env: {}, ...more })
    return read.ok ? read.value : expect.fail(explainStart(read.error))
  }

  test('the preset: `--preset`, then the file, then dev', async () => {
    expect(await options({ 'amodal.json': { name: 'tiny' } })).toMatchObject({ preset: 'dev' })
    expect(await options({ 'amodal.json': { name: 'tiny', preset: 'production' } })).toMatchObject({
      preset: 'production',
    })
    expect(
      await options(
        { 'amodal.json': { name: 'tiny', preset: 'production' } },
        { preset: 'embedded' },
      ),
    ).toMatchObject({ preset: 'embedded' })
    expect(
      await options({ '.amodal/config.json': { name: 'tiny', preset: 'production' } }),
    ).toMatchObject({ preset: 'production' })
  })

  const settingsOf = ({ entries }: { readonly entries: readonly Entry[] }): object =>
    Object.assign(
      {},
      ...entries.map((entry) =>
        entry.kind === 'use' && entry.plugin.name === 'loop' ? entry.config : {},
      ),
    ) as object

  test('`runtime` and AMODAL_SESSION_TTL (seconds), which wins', async () => {
    const files = { 'amodal.json': { name: 'tiny', runtime: { maxTurns: 3, sessionTtlMs: 5_000 } } }
    expect(settingsOf(await options(files))).toEqual({ maxTurns: 3, sessionTtlMs: 5_000 })
    expect(settingsOf(await options(files, { env: { AMODAL_SESSION_TTL: '60' } }))).toEqual({
      maxTurns: 3,
      sessionTtlMs: 60_000,
    })
    expect(settingsOf(await options(files, { env: { AMODAL_SESSION_TTL: '0' } }))).toMatchObject({
      sessionTtlMs: 0,
    })
    expect(settingsOf(await options(files, { env: { AMODAL_SESSION_TTL: '' } }))).toMatchObject({
      sessionTtlMs: 5_000,
    })
    expect(await refusal(files, { env: { AMODAL_SESSION_TTL: '1h' } })).toContain(
      'AMODAL_SESSION_TTL',
    )
    expect(
      await refusal({ 'amodal.json': { name: 'tiny', runtime: { leaseMs: 0, speed: 9 } } }),
    ).toMatch(/`runtime\.leaseMs`: Too small[^]*`runtime`: Unrecognized key: "speed"/)
  })

  test.each([
    [{}, 'dev', 'db-pglite', {}],
    [{ dataDir: 'data' }, 'dev', 'db-pglite', { dataDir: 'data' }],
    [{ backend: 'postgres', postgresUrl: 'env:DB' }, 'dev', 'db-postgres', { url: 'env:DB' }],
    [{ backend: 'postgres', connectionString: 'env:DB' }, 'dev', 'db-postgres', { url: 'env:DB' }],
    [{ backend: 'postgres' }, 'dev', 'db-postgres', {}],
    [{ backend: 'pglite', postgresUrl: 'env:DB' }, 'dev', 'db-pglite', {}],
    [{ postgresUrl: 'env:DB' }, 'production', 'db-postgres', { url: 'env:DB' }],
    [{ backend: 'pglite', dataDir: 'data' }, 'production', 'db-pglite', { dataDir: 'data' }],
  ])('`stores` %j in %s means %s', async (stores, preset, name, config) => {
    const entries = await wired({ 'amodal.json': { name: 'tiny', stores } }, { preset })
    expect([...pluginsIn(entries).keys()].filter((one) => one.startsWith('db-'))).toEqual([name])
    expect(last(entries, name)).toMatchObject({ config })
  })

  test('address and level of the command line win over the file', async () => {
    const entries = await wired(
      manifest(['http', { port: 5000, maxBodyBytes: 10 }], ['log-json', { level: 'debug' }]),
      { port: 4000, host: '::1', logLevel: 'error' },
    )
    const plan = resolvePlan(
      entries.filter(
        (entry) =>
          entry.kind !== 'without' &&
          ['http', 'log-json', 'secrets-env', 'db-pglite'].includes(entry.plugin.name),
      ),
    )
    if (!plan.ok) throw new Error(explain(plan.error))
    const configs = Object.fromEntries(plan.value.plugins.map(({ name, config }) => [name, config]))
    expect(configs).toMatchObject({
      http: { port: 4000, host: '::1', maxBodyBytes: 10 },
      'log-json': { level: 'error' },
      'db-pglite': { address: 'http://::1:4000' }, // for whoever finds the data in use
    })
  })

  test('what works in the folder is told which one, unless the file says otherwise', async () => {
    await using here = await folder(manifest(['db-pglite', { dir: '/srv/data' }]))
    const read = await readFolder({ dir: here.dir, env: { A: 'b' } })
    const entries = read.ok ? read.value.entries : []
    expect(last(entries, 'repo-files')).toMatchObject({ config: { dir: here.dir } })
    expect(last(entries, 'secrets-env')).toMatchObject({
      config: { dir: here.dir, env: { A: 'b' } },
    })
    expect(last(entries, 'db-pglite')).toMatchObject({ config: { dir: '/srv/data' } })
  })

  test('a look keeps everything in memory, also where somebody else needs the database', async () => {
    const names = async (
      files: Readonly<Record<string, string | object>>,
    ): Promise<readonly string[]> => [...pluginsIn(await wired(files, { inMemory: true })).keys()]
    const looked = await names(manifest())
    expect(looked).toEqual(expect.arrayContaining(['sessions-memory', 'stores-memory']))
    expect(looked.filter((name) => /^db-|^sessions$|^stores-database$/.test(name))).toEqual([])
    const needy = pluginSource(
      '',
      "requires: { database: { kind: 'slot', id: 'database', scope: 'kernel', key: Symbol.for('amodal.slot/database') } }",
    )
    const kept = await wired({ ...manifest('./mine.ts'), 'mine.ts': needy }, { inMemory: true })
    expect(last(kept, 'db-pglite')).toMatchObject({ config: { dataDir: 'memory://' } })
  })
})

describe('what is built in', () => {
  const plugins = async (): Promise<readonly (readonly [string, Plugin])[]> =>
    Promise.all(
      Object.entries(PLUGINS).map(async ([name, load]) => {
        const { default: plugin } = await load()
        if (!isPlugin(plugin)) throw new Error(`${name} is no plugin`)
        return [name, plugin] as const
      }),
    )

  test('is every folder of plugins/, under its name', async () => {
    const folders = readdirSync(join(import.meta.dirname, '../../plugins'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    expect(Object.keys(PLUGINS)).toEqual(folders.sort())
    expect((await plugins()).map(([, plugin]) => plugin.name)).toEqual(folders)
  })

  test('fills the slots that the fix of a missing one promises, all of them', async () => {
    const filled: Record<string, string[]> = {}
    for (const [name, plugin] of await plugins()) {
      for (const token of plugin.provides)
        if (token.kind === 'slot') (filled[token.id] ??= []).push(name)
    }
    expect(PROVIDERS).toEqual(filled)
  })

  test.each(Object.keys(PRESETS))('preset %s says of each entry where it is from', async (name) => {
    const preset = await PRESETS[name]?.()
    expect(preset?.default.name).toBe(name)
    for (const entry of preset?.default.entries ?? [])
      expect(entry.kind !== 'without' && entry.options.source).toBe(`preset ${name}`)
  })

  test('a preset is a list, and later entries win', async () => {
    const embedded: Preset | undefined = (await PRESETS['embedded']?.())?.default
    const mine = definePreset(
      'mine',
      [...(embedded?.entries ?? []), { kind: 'without', name: 'knowledge', unsafe: false }],
      { pinned: ['prompt'] },
    )
    expect(mine).toMatchObject({ name: 'mine', pinned: ['prompt'], mustTap: {} })
    expect([...pluginsIn(mine.entries).keys()]).not.toContain('knowledge')
    expect(Object.isFrozen(mine.entries)).toBe(true)
  })
})
