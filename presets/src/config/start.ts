import { resolve } from 'node:path'
import {
  err,
  failure,
  Kernel,
  ok,
  use,
  startAgent,
  type BundleIssue,
  type Failure,
  type Result,
  type Running,
} from '@amodal/sdk'
import loop from '@amodal/plugin-loop'
import { PROVIDERS } from '../builtin.ts'
import {
  databaseEntries,
  embeddingsEntries,
  entriesOf,
  loadPreset,
  neededBy,
  pluginsIn,
} from './entries.ts'
import { arrange } from './arrange.ts'
import type { Folder, FolderError, FolderOptions } from './folder.ts'
import { rewiring } from './rewire.ts'
import { readWiring, type WiringFailure, type WiringFile } from './read.ts'

/**
 * Reads a folder and runs it.
 *
 * @example
 * const started = await startFolder({ dir: './my-agent', env: process.env })
 * if (!started.ok) throw new Error(explainStart(started.error))
 */
export async function startFolder(options: FolderOptions): Promise<Result<Running, FolderError>> {
  const folder = await readFolder(options)
  if (!folder.ok) return folder
  let kernel: Kernel | undefined
  const started = await startAgent(
    folder.value.entries,
    rewiring(
      folder.value,
      () => readFolder(options),
      () => kernel,
    ),
  )
  if (started.ok) kernel = started.value.kernel
  return started
}

/**
 * Runs some plugins of a folder and what they need, for whoever tends its data: nothing answers
 * messages, and no worker begins. The other plugins are set up, so that their tables, erasers and
 * whatever else they contribute are there.
 *
 * @param names of the plugins
 */
export async function startParts(
  options: FolderOptions,
  names: readonly string[],
): Promise<Result<Pick<Running, 'kernel' | 'close'>, FolderError>> {
  const folder = await readFolder(options)
  if (!folder.ok) return folder
  const {
    entries,
    options: { env, builtinProviders },
  } = folder.value
  const listed = pluginsIn(entries)
  const made = await Kernel.create(entries, {
    boots: [...neededBy(listed, names)],
    ...(env && { env }),
    ...(builtinProviders && { builtinProviders }),
  })
  if (!made.ok) return made
  const kernel = made.value
  return ok({
    kernel,
    close: async (reason = 'close') => {
      await kernel.close(reason)
    },
  })
}

/** Reads how an agent folder is wired. Runs nothing of any plugin. */
export async function readFolder(options: FolderOptions): Promise<Result<Folder, FolderError>> {
  const read = await readWiring(options.dir)
  return read.ok ? wireFolder(read.value, options) : refuse(read.error)
}

/** The same for a wiring that has been read. */
export async function wireFolder(
  read: WiringFile,
  options: FolderOptions,
): Promise<Result<Folder, FolderError>> {
  const { wiring, file, issue } = read
  const preset = await loadPreset(options.preset ?? wiring.preset ?? options.otherwise ?? 'dev')
  if (!preset.ok)
    return options.preset === undefined
      ? unwired(file, [issue(['preset'], preset.error)])
      : refuse(preset.error)
  const own = await entriesOf(read, preset.value)
  if (!own.ok) return unwired(file, own.error)
  const database = await databaseEntries(preset.value, wiring.stores, file)
  if (!database.ok) return refuse(database.error)
  const embeddings = await embeddingsEntries(wiring.models, file)
  if (!embeddings.ok) return refuse(embeddings.error)
  const ttl = sessionTtlMs(options.env)
  if (!ttl.ok) return refuse(ttl.error)
  const { name, entries, pinned, mustTap } = preset.value
  const runtime = {
    ...wiring.runtime,
    ...(ttl.value !== undefined && { sessionTtlMs: ttl.value }),
    ...options.settings,
  }
  return ok({
    preset: name,
    entries: await arrange(
      [...entries, use(loop, runtime), ...database.value, ...embeddings.value, ...own.value],
      {
        ...options,
        dir: resolve(options.dir),
        ...(options.stateDir !== undefined && { stateDir: resolve(options.stateDir) }),
      },
    ),
    options: {
      env: options.env,
      pinned,
      mustTap,
      builtinProviders: PROVIDERS,
    },
  })
}

const refuse = (error: WiringFailure): Result<never, FolderError> =>
  err({ kind: 'config', failure: error })

/** `issues` says which items of the file are at fault. */
function unwired(file: string, issues: readonly BundleIssue[]): Result<never, FolderError> {
  return refuse({ ...failure('BAD_CONFIG', `${file} names what cannot be used`), issues })
}

function sessionTtlMs({
  AMODAL_SESSION_TTL: text,
}: FolderOptions['env']): Result<number | undefined, Failure> {
  if (text === undefined || text === '') return ok(undefined)
  return /^\d+$/.test(text)
    ? ok(Number(text) * 1_000)
    : err(
        failure(
          'BAD_CONFIG',
          `AMODAL_SESSION_TTL must be a whole number of seconds (0: never), not "${text}"`,
        ),
      )
}
