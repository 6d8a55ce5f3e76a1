import { dirname } from 'node:path'
import {
  err,
  failure,
  Log,
  ok,
  replace,
  use,
  without,
  type BundleIssue,
  type Entry,
  type Failure,
  type Plugin,
  type Result,
  type Slot,
} from '@amodal/sdk'
import { PRESETS } from '../builtin.ts'
import type { Preset } from '../define-preset.ts'
import { findPlugin } from './find.ts'
import type { Checks } from './plugin-manifest.ts'
import type { WiringFile } from './read.ts'
import type { PluginItem, Wiring } from './wiring.ts'

/** The preset of that name. */
export async function loadPreset(name: string): Promise<Result<Preset, Failure>> {
  const load = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined
  if (!load)
    return err(
      failure(
        'NOT_FOUND',
        `there is no preset "${name}" (there are: ${Object.keys(PRESETS).join(', ')})`,
      ),
    )
  return ok((await load()).default)
}

/**
 * Turns `plugins` of amodal.json into entries, in its order; or names every item that is no plugin,
 * or is none that may be loaded.
 *
 * @param preset that the list begins with
 */
export async function entriesOf(
  { wiring, file, issue }: WiringFile,
  preset: Preset,
): Promise<Result<readonly Entry[], readonly BundleIssue[]>> {
  if (wiring.plugins.length === 0) return ok([])
  const { LOCK_FILE, protocolsOf, readLock } = await import('@amodal/sdk/packages')
  const lock = await readLock(dirname(file))
  if (!lock.ok) return err([{ ...issue(['plugins'], lock.error), file: LOCK_FILE }])
  const checks = { lock: lock.value, protocols: protocolsOf(remaining(preset, wiring.plugins)) }
  const made = await Promise.all(wiring.plugins.map((item) => entryOf(item, file, checks)))
  const issues = made.flatMap((one, index) =>
    one.ok ? [] : [issue(['plugins', index], one.error)],
  )
  return issues.length > 0 ? err(issues) : ok(made.flatMap((one) => (one.ok ? [one.value] : [])))
}

/** The plugins of a preset that stay, by name. */
function remaining({ entries }: Preset, items: readonly PluginItem[]) {
  const gone = new Set(items.map((item) => ('without' in item ? item.without : item.replaces)))
  return [...pluginsIn(entries)].filter(([name]) => !gone.has(name))
}

async function entryOf(
  item: PluginItem,
  configFile: string,
  checks: Checks,
): Promise<Result<Entry, Failure>> {
  if ('without' in item) return ok(without(item.without, { unsafe: item.unsafe === true }))
  const { config, as, replaces, optional, trusted, ignoreCompat } = item
  const found = await findPlugin(item.use, configFile, checks, ignoreCompat)
  if (!found.ok) return found
  const { source, capabilities } = found.value
  const plugin = capabilities
    ? (await import('@amodal/sdk/packages')).confined(found.value.plugin, capabilities, config)
    : found.value.plugin
  const options = {
    source,
    ...(capabilities && { capabilities }),
    ...(as !== undefined && { as }),
    ...(optional !== undefined && { optional }),
    ...(trusted !== undefined && { trusted }),
    ...(ignoreCompat !== undefined && { ignoreCompat }),
  }
  return ok(
    replaces === undefined
      ? use(plugin, config, options)
      : replace(replaces, plugin, config, options),
  )
}

/** What a list comes to: its plugins by the names they have in it. Later entries win. */
export function pluginsIn(entries: readonly Entry[]): ReadonlyMap<string, Plugin> {
  const listed = new Map<string, Plugin>()
  for (const entry of entries) {
    if (entry.kind !== 'use') listed.delete(entry.name)
    if (entry.kind !== 'without') listed.set(entry.options.as ?? entry.plugin.name, entry.plugin)
  }
  return listed
}

/** Whether one of these plugins provides a slot. */
export const fills = (listed: ReadonlyMap<string, Plugin>, slot: Slot<unknown>): boolean =>
  [...listed.values()].some(({ provides }) => provides.some(({ key }) => key === slot.key))

/** Plugins of a list by these names, and all that fill a slot which one of them uses. */
export function neededBy(
  listed: ReadonlyMap<string, Plugin>,
  names: readonly string[],
): ReadonlySet<string> {
  const needed = new Set<string>()
  const add = (name: string): void => {
    const plugin = listed.get(name)
    if (!plugin || needed.has(name)) return
    needed.add(name)
    const used = new Set(
      [Log, ...Object.values(plugin.requires), ...Object.values(plugin.optional)].map(
        ({ key }) => key,
      ),
    )
    for (const [other, { provides }] of listed)
      if (provides.some(({ key }) => used.has(key))) add(other)
  }
  names.forEach(add)
  return needed
}

/**
 * What the `stores` block means for the plugins of a preset: which database, and where it lives.
 */
export async function databaseEntries(
  preset: Preset,
  { backend, dataDir, ...stores }: Wiring['stores'],
  configFile: string,
): Promise<Result<readonly Entry[], Failure>> {
  const listed = pluginsIn(preset.entries)
  const there = DATABASES.find((name) => listed.has(name))
  if (there === undefined) return ok([]) // everything is in memory
  const named = backend === 'postgres' ? 'db-postgres' : 'db-pglite'
  const wanted = backend === undefined ? there : named
  const url = stores.postgresUrl ?? stores.connectionString
  const config =
    wanted === 'db-postgres'
      ? { ...(url !== undefined && { url }) }
      : { ...(dataDir !== undefined && { dataDir }) }
  const found = await findPlugin(wanted, configFile)
  if (!found.ok) return found
  return ok([
    wanted === there ? use(found.value.plugin, config) : replace(there, found.value.plugin, config),
  ])
}

/**
 * The plugin that `models.embeddings` stands for: search by meaning is set where models are.
 *
 * @returns no entry where there is no such model
 */
export async function embeddingsEntries(
  models: Wiring['models'],
  configFile: string,
): Promise<Result<readonly Entry[], Failure>> {
  const model = models?.embeddings
  if (model === undefined) return ok([])
  const found = await findPlugin('embeddings', configFile)
  if (!found.ok) return found
  return ok([use(found.value.plugin, typeof model === 'string' ? namedModel(model) : model)])
}

/** `PROVIDER/MODEL`, or a model of the default provider. */
function namedModel(text: string): { readonly model: string; readonly provider?: string } {
  const [, provider, model] = /^([^/]+)\/(.+)$/.exec(text) ?? []
  return provider === undefined || model === undefined ? { model: text } : { provider, model }
}

export const DATABASES = ['db-pglite', 'db-postgres'] as const
