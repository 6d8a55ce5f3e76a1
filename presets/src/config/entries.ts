import { err, failure, ok, replace, use, without, type Entry, type Failure, type Result } from '@amodal/kernel'
import { PRESETS } from '../builtin.ts'
import type { Preset } from '../define-preset.ts'
import { findPlugin } from './find.ts'
import type { PluginItem, Wiring } from './read.ts'

/** The preset a folder asks for, or `fallback`. */
export async function loadPreset(name: string): Promise<Result<Preset, Failure>> {
  const load = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined
  if (!load) return err(failure('NOT_FOUND', `there is no preset "${name}" (there are: ${Object.keys(PRESETS).join(', ')})`))
  return ok((await load()).default)
}

/** Turns `plugins` of amodal.json into entries, in its order. */
export async function entriesOf(items: readonly PluginItem[], configFile: string): Promise<Result<readonly Entry[], Failure>> {
  const entries: Entry[] = []
  for (const item of items) {
    const made = await entryOf(item, configFile)
    if (!made.ok) return made
    entries.push(made.value)
  }
  return ok(entries)
}

async function entryOf(item: PluginItem, configFile: string): Promise<Result<Entry, Failure>> {
  if (typeof item === 'object' && 'without' in item) return ok(without(item.without, { unsafe: item.unsafe === true }))
  const { use: name, config, replaces, ...options } = typeof item === 'string' ? { use: item } : Array.isArray(item) ? { use: item[0], config: item[1] } : item
  const found = await findPlugin(name, configFile)
  if (!found.ok) return found
  const more = { source: found.value.source, ...dropUndefined(options) }
  return ok(replaces === undefined ? use(found.value.plugin, config, more) : replace(replaces, found.value.plugin, config, more))
}

type Options = { readonly as?: string; readonly optional?: boolean; readonly trusted?: boolean }
function dropUndefined(options: { readonly as?: string | undefined; readonly optional?: boolean | undefined; readonly trusted?: boolean | undefined }): Options {
  return { ...(options.as === undefined ? {} : { as: options.as }), ...(options.optional === undefined ? {} : { optional: options.optional }), ...(options.trusted === undefined ? {} : { trusted: options.trusted }) }
}

/** What the `stores` block means for the plugins of a preset: which database, and where it lives. */
export async function databaseEntries(preset: Preset, stores: Wiring['stores'], configFile: string): Promise<Result<readonly Entry[], Failure>> {
  const listed = preset.entries.flatMap((entry) => (entry.kind === 'use' ? [entry.plugin.name] : []))
  const url = stores?.postgresUrl ?? stores?.connectionString
  if (stores?.backend === 'postgres') {
    if (listed.includes('db-postgres')) return ok(url === undefined ? [] : await configure('db-postgres', { url }, configFile))
    if (!listed.includes('db-pglite')) return ok([])
    const found = await findPlugin('db-postgres', configFile)
    return found.ok ? ok([replace('db-pglite', found.value.plugin, url === undefined ? { url: 'env:DATABASE_URL' } : { url })]) : found
  }
  if (stores?.dataDir !== undefined && listed.includes('db-pglite')) return ok(await configure('db-pglite', { dataDir: stores.dataDir }, configFile))
  return ok([])
}

async function configure(name: string, config: object, configFile: string): Promise<readonly Entry[]> {
  const found = await findPlugin(name, configFile)
  return found.ok ? [use(found.value.plugin, config)] : []
}
