import { BundleSource, replace, use, without, type Entry, type Plugin } from '@amodal/sdk'
import audit from '@amodal/plugin-audit'
import automations from '@amodal/plugin-automations'
import http from '@amodal/plugin-http'
import logJson from '@amodal/plugin-log-json'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import { z } from 'zod'
import { DATABASES, fills, pluginsIn } from './entries.ts'
import type { FolderOptions } from './folder.ts'

/**
 * Puts a list into the place it runs in: the agent's folder, the environment, what the command line
 * says.
 */
export async function arrange(
  list: readonly Entry[],
  options: FolderOptions,
): Promise<readonly Entry[]> {
  const { dir: filesDir, stateDir: dir = filesDir, env, port, host, logLevel } = options
  const listed = pluginsIn(list)
  const address = { ...(port !== undefined && { port }), ...(host !== undefined && { host }) }
  const served: readonly Entry[] =
    listed.get('http') === http && Object.keys(address).length > 0 ? [use(http, address)] : []
  const url = addressOf([...list, ...served])
  const places: Readonly<Record<string, object>> = {
    'repo-files': { dir: filesDir },
    'secrets-env': { dir, env },
    assets: { dir },
    audit: { dir },
    deploy: { dir },
    'session-archive': { dir },
    auth: { dir },
    'tool-repos': { dir },
    'tools-versions': { dir },
    widget: { dir },
    workspace: { dir },
    'db-pglite': { dir, ...(url !== undefined && { address: url }) },
  }
  const entries = [
    ...list.map((entry) => placed(entry, places)),
    ...served,
    ...(fills(listed, BundleSource) ? [] : [use(repoFiles, { dir: filesDir })]),
    ...(logLevel !== undefined && listed.get('log-json') === logJson
      ? [use<Plugin>(logJson, { level: logLevel })]
      : []),
    ...(options.entries ?? []),
  ]
  const kept = [
    ...entries,
    ...(options.inMemory === true ? await inMemory(pluginsIn(entries)) : []),
  ]
  const names = pluginsIn(kept)
  return [
    ...kept,
    ...(options.without ?? []).filter((name) => names.has(name)).map((name) => without(name)),
  ]
}

/**
 * Sets the folder in the config of plugins that work in it; values in amodal.json are not changed.
 */
function placed(entry: Entry, places: Readonly<Record<string, object>>): Entry {
  if (entry.kind === 'without') return entry
  const place = places[entry.plugin.name]
  if (!place) return entry
  const config = joined(place, entry.config)
  return entry.kind === 'use'
    ? use(entry.plugin, config, entry.options)
    : replace(entry.name, entry.plugin, config, entry.options)
}

/** A config that is not an object is left as it is, since validation reports it. */
function joined(earlier: unknown, later: unknown): unknown {
  if (later === undefined) return earlier
  return isObject(earlier) && isObject(later) ? { ...earlier, ...later } : later
}
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const Address = z.object({ host: z.string().default('127.0.0.1'), port: z.number().default(3847) })

/**
 * Where the server will listen, for the message when the data is already in use. Port 0 is omitted.
 */
function addressOf(list: readonly Entry[]): string | undefined {
  const config = list.reduce<unknown>(
    (earlier, entry) =>
      entry.kind !== 'without' && entry.plugin === http ? joined(earlier, entry.config) : earlier,
    {},
  )
  const read = Address.safeParse(config)
  return read.success && read.data.port !== 0
    ? `http://${read.data.host}:${read.data.port}`
    : undefined
}

/**
 * Data in memory. Without sessions and documents nobody may need the database any more; then it is
 * left out, so that none has to run.
 */
async function inMemory(listed: ReadonlyMap<string, Plugin>): Promise<readonly Entry[]> {
  const [queue, sessions, stores] = await Promise.all([
    import('@amodal/plugin-queue-memory'),
    import('@amodal/plugin-sessions-memory'),
    import('@amodal/plugin-stores-memory'),
  ])
  const memory = [
    ['queue-database', queue.default],
    ['sessions', sessions.default],
    ['stores-database', stores.default],
  ] as const
  const others = [...listed].filter(([name]) => !memory.some(([kept]) => kept === name))
  const needed = others.some(([, plugin]) =>
    Object.values(plugin.requires).some(({ id }) => id === 'database' || id === 'tenant-database'),
  )
  const pglite = listed.get('db-pglite')
  const inMemoryDatabase = pglite ? [use(pglite, { dataDir: 'memory://' })] : []
  return [
    ...memory.flatMap(([name, instead]) => (listed.has(name) ? [replace(name, instead)] : [])),
    ...(needed
      ? inMemoryDatabase
      : DATABASES.filter((name) => listed.has(name)).map((name) => without(name))),
    ...(listed.get('secrets-env') === secretsEnv ? [use(secretsEnv, { masterKey: 'memory' })] : []),
    // Whoever only looks begins no runs.
    ...(listed.get('automations') === automations ? [use(automations, { work: false })] : []),
    ...(listed.get('audit') === audit ? [use(audit, { memory: true })] : []),
  ]
}
