import { OPT_IN, PLUGINS, PRESETS, type Preset } from '@amodal/presets'
import { startAgent, type Entry } from '@amodal/sdk'
import { inspectionOf, listHooks } from '@amodal/sdk/inspection'
import dbPglite from '@amodal/plugin-db-pglite'
import http from '@amodal/plugin-http'
import { use } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'

const presets: readonly Preset[] = await Promise.all(
  Object.values(PRESETS).map(async (load) => (await load()).default),
)
const namesIn = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) => (entry.kind === 'without' ? [] : [entry.plugin.name]))

// A class with tests of its own, that no server ever constructs, protects nobody.
describe('what is built is wired', () => {
  const used = new Set(presets.flatMap(({ entries }) => namesIn(entries)))

  test.each(Object.keys(PLUGINS))('%s is in a preset, or listed as one to opt in to', (name) => {
    expect(
      used.has(name) || OPT_IN.includes(name),
      `name "${name}" in a list of presets/src, or say "optIn": true under "amodal" in its package.json`,
    ).toBe(true)
  })

  test('what is to opt in to is in no preset', () => {
    expect(OPT_IN.filter((name) => used.has(name))).toEqual([])
    expect(OPT_IN.filter((name) => !Object.hasOwn(PLUGINS, name))).toEqual([])
  })
})

describe.each(presets)('preset $name', ({ entries, pinned, mustTap }) => {
  test('lists each plugin once', () => {
    const names = namesIn(entries)
    expect(names).toEqual([...new Set(names)])
  })

  test('pins what it lists, and demands taps of what it pins', () => {
    const names = namesIn(entries)
    expect(pinned.filter((name) => !names.includes(name))).toEqual([])
    const guards = listHooks()
      .filter(({ spec }) => spec.policy.guards)
      .map(({ name }) => name)
    expect(Object.keys(mustTap).filter((hook) => !guards.includes(hook))).toEqual([])
    expect(
      Object.values(mustTap)
        .flat()
        .filter((name) => !pinned.includes(name)),
    ).toEqual([])
  })

  test('has every slot filled that a plugin of it wants, and no service that nobody asks for', () => {
    const plugins = entries.flatMap((entry) => (entry.kind === 'without' ? [] : [entry.plugin]))
    const provided = plugins.flatMap(({ provides }) =>
      provides.filter(({ kind }) => kind === 'slot').map(({ id }) => id),
    )
    const wanted = plugins.flatMap(({ requires }) =>
      Object.values(requires)
        .filter(({ kind }) => kind === 'slot')
        .map(({ id }) => id),
    )
    expect(
      wanted.filter(
        (id) => !provided.includes(id) && !['agent', 'clock', 'inspector'].includes(id),
      ),
    ).toEqual([])
  })
})

test('every contribution of the dev preset reaches the agent', async () => {
  const dev = presets.find(({ name }) => name === 'dev')
  const started = await startAgent(
    [
      ...(dev?.entries ?? []),
      use(dbPglite, { dataDir: 'memory://' }),
      use(http, { port: 0 }),
      ...repoless,
    ],
    { env: { LOG_LEVEL: 'none' } },
  )
  if (!started.ok) throw new Error(JSON.stringify(started.error))
  const { kernel, close } = started.value
  const { registries, plugins } = inspectionOf(kernel)
  expect(plugins.every(({ state }) => state === 'running')).toBe(true)
  const keys = Object.fromEntries(
    registries.map(({ id, entries }) => [id, entries.map(({ key }) => key).sort()]),
  )
  expect(keys).toMatchObject({
    commands: [
      'add',
      'agents',
      'auth login',
      'auth logout',
      'build-manifest-types',
      'chat',
      'deploy build',
      'deploy list',
      'deploy promote',
      'deploy push',
      'deploy rollback',
      'deploy serve',
      'deploy status',
      'deploy upgrade',
      'dev',
      'doctor',
      'eval',
      'eval promote',
      'init',
      'inspect',
      'mcp',
      'ops audit',
      'ops automations',
      'ops backup',
      'ops connections',
      'ops database',
      'ops docker',
      'ops erase',
      'ops experiment',
      'ops feedback',
      'ops keys',
      'ops migrate',
      'ops queue',
      'ops restore',
      'ops runs',
      'ops secrets',
      'ops usage',
      'pkg diff',
      'pkg install',
      'pkg link',
      'pkg list',
      'pkg publish',
      'pkg search',
      'pkg sync',
      'pkg uninstall',
      'pkg update',
      'pkg why',
      'plugins add',
      'plugins doctor',
      'plugins list',
      'plugins manifest',
      'plugins outdated',
      'plugins page',
      'plugins remove',
      'plugins why',
      'replay',
      'schemas',
      'start',
      'test-query',
      'tool-scaffold install',
      'tool-scaffold new',
      'trace',
      'validate',
      'worker',
    ],
    health: [
      'audit',
      'connect-mcp',
      'connections',
      'database',
      'deploy',
      'handlers',
      'model-failover',
      'queue',
      'repo-watch',
      'session-archive',
      'tools',
    ],
    migrations: [
      'agent-runs',
      'assets',
      'audit',
      'automations',
      'connect-mcp',
      'deploy',
      'evals',
      'experiments',
      'feedback',
      'memory',
      'queue-database',
      'sessions',
      'stores-database',
      'tools-versions',
      'usage',
      'workspace',
    ],
    'prompt-sections': ['bootstrap-files', 'connections', 'knowledge', 'mcp', 'skills', 'stores'],
    tools: expect.arrayContaining(['connect-rest', 'present', 'stores']) as string[],
    models: expect.arrayContaining(['openai-compatible', 'openai', 'demo']) as string[],
  })
  await close()
})

const repoless: readonly Entry[] = [
  use((await import('@amodal/plugin-repo-files')).default, {
    dir: new URL('../../examples/ops-agent', import.meta.url).pathname,
  }),
]
