import { resolve } from 'node:path'
import { err, ok, replace, startAgent, use, without, type Entry, type Failure, type Result, type Running, type RuntimeSettings, type StartError } from '@amodal/kernel'
import http from '@amodal/plugin-http'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import storesMemory from '@amodal/plugin-stores-memory'
import { PROVIDERS } from '../builtin.ts'
import { databaseEntries, entriesOf, loadPreset } from './entries.ts'
import { readWiring } from './read.ts'

export interface FolderOptions {
  /** Folder of the agent. */
  readonly dir: string
  /** Taken where amodal.json names none. */
  readonly preset: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly port?: number
  readonly host?: string
  readonly without?: readonly string[]
  /** Keeps sessions and documents in memory: a look at the agent must not wait for whoever holds its data. */
  readonly inMemory?: boolean
  /** Put last, so they win. */
  readonly entries?: readonly Entry[]
  readonly settings?: Partial<RuntimeSettings>
}

export type FolderError = StartError | { readonly kind: 'config'; readonly failure: Failure }

/** What a folder is wired with: its preset, its own plugins, what the command line says. */
export interface Folder { readonly entries: readonly Entry[]; readonly options: Parameters<typeof startAgent>[1]; readonly dir: string; readonly preset: string }

/** Reads how an agent folder is wired. Runs nothing of any plugin. */
export async function readFolder(options: FolderOptions): Promise<Result<Folder, FolderError>> {
  const bad = (failure: Failure): Result<never, FolderError> => err({ kind: 'config', failure })
  const dir = resolve(options.dir)
  const read = await readWiring(dir)
  if (!read.ok) return bad(read.error)
  const { wiring, file } = read.value
  const preset = await loadPreset(wiring.preset ?? options.preset)
  if (!preset.ok) return bad(preset.error)
  const database = await databaseEntries(preset.value, wiring.stores, file)
  if (!database.ok) return bad(database.error)
  const own = await entriesOf(wiring.plugins, file)
  if (!own.ok) return bad(own.error)
  const has = (name: string): boolean => preset.value.entries.some((entry) => entry.kind === 'use' && entry.plugin.name === name)
  const address = { ...(options.port === undefined ? {} : { port: options.port }), ...(options.host === undefined ? {} : { host: options.host }) }
  const entries = [
    ...preset.value.entries,
    ...placed(preset.value.entries, dir),
    ...database.value,
    ...(has('http') && Object.keys(address).length > 0 ? [use(http, address)] : []),
    ...own.value,
    ...options.entries ?? [],
    ...(options.inMemory ? memoryEntries(has) : []),
    ...(options.without ?? []).filter(has).map((name) => without(name)),
  ]
  const ttl = Number(options.env['AMODAL_SESSION_TTL'])
  return ok({
    dir, preset: preset.value.name, entries,
    options: {
      env: options.env, pinned: preset.value.pinned, mustTap: preset.value.mustTap, builtinProviders: PROVIDERS,
      settings: { ...preset.value.settings, ...(Number.isFinite(ttl) && ttl > 0 ? { sessionTtlMs: ttl * 1_000 } : {}), ...defined(wiring.runtime), ...options.settings },
    },
  })
}

/** Reads a folder and runs it. */
export async function startFolder(options: FolderOptions): Promise<Result<Running, FolderError>> {
  const folder = await readFolder(options)
  return folder.ok ? startAgent(folder.value.entries, folder.value.options) : folder
}

function memoryEntries(has: (name: string) => boolean): readonly Entry[] {
  return [
    ...(has('sessions') ? [replace('sessions', sessionsMemory)] : []),
    ...(has('stores-database') ? [replace('stores-database', storesMemory)] : []),
    ...['db-pglite', 'db-postgres'].filter(has).map((name) => without(name)),
  ]
}

/** Plugins that work in the agent's folder are told which one it is. */
function placed(entries: readonly Entry[], dir: string): readonly Entry[] {
  return entries.flatMap((entry) => (entry.kind === 'use' && IN_FOLDER.has(entry.plugin.name) ? [use(entry.plugin, { dir })] : []))
}
const IN_FOLDER = new Set(['repo-files', 'secrets-env', 'db-pglite'])

function defined(settings: { readonly [K in keyof RuntimeSettings]?: RuntimeSettings[K] | undefined }): Partial<RuntimeSettings> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}
