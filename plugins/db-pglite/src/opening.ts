import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  err,
  failure,
  messageOf,
  ok,
  type Failure,
  type Logger,
  type MigrationList,
  type Result,
} from '@amodal/sdk'
import { schemaWork, type MigrationLists } from '@amodal/sdk/database'
import { Engine } from './engine.ts'
import { damaged, folderState, initialise } from './folder.ts'
import { PREPARED_IMAGE, readImage, SHIPPED_IMAGE, unpackImage, type Image } from './image.ts'

export const MEMORY = 'memory://'

/** The major version of Postgres inside PGlite. */
const POSTGRES = '18'

/** How a database came to be open. */
export type Origin = 'folder' | 'image' | 'initdb'

export interface Opened {
  readonly engine: Engine
  readonly origin: Origin
}

export interface OpenOptions {
  /** A folder, or {@link MEMORY}. */
  readonly dataDir: string
  /** `false` once it has been open: a folder that is empty by then has lost its database. */
  readonly mayCreate: boolean
  /** Instead of those of this package. */
  readonly image: string | undefined
  /**
   * What will be asked of the database: an image that was prepared for an older release may do, or
   * not.
   */
  readonly migrations: MigrationLists
  readonly onNotify: (channel: string, payload: string) => void
  readonly log: Logger
}

type ImageOptions = Pick<OpenOptions, 'image' | 'migrations' | 'log'>

/**
 * Opens a folder that is locked already, or a database in memory. A new one starts from an image, a
 * tenth of the time of `initdb`; where none can be read, `initdb` it is. Only an empty folder
 * becomes a new one.
 */
export async function openDatabase(options: OpenOptions): Promise<Result<Opened, Failure>> {
  const { dataDir, onNotify, mayCreate } = options
  if (dataDir === MEMORY) return inMemory(options)
  const state = folderState(dataDir)
  if (!state.ok) return state
  if (state.value.kind === 'empty')
    return mayCreate
      ? createIn(options)
      : err(damaged(dataDir, ['its files are gone while it was in use']))
  const { version } = state.value
  if (version !== POSTGRES) {
    return err(
      failure(
        'DATABASE_UNAVAILABLE',
        `the database in ${dataDir} was made by Postgres ${version}, and this release runs Postgres ${POSTGRES}: open it with the release that made it, or choose another dataDir`,
        { details: { dataDir, found: version } },
      ),
    )
  }
  try {
    return ok({ engine: await Engine.open({ dataDir }, onNotify), origin: 'folder' })
  } catch (cause) {
    return err(damaged(dataDir, [`Postgres cannot open it: ${messageOf(cause)}`], { cause }))
  }
}

async function inMemory({ onNotify, ...options }: OpenOptions): Promise<Result<Opened, Failure>> {
  const dataDir = MEMORY
  try {
    const tar = await imageOf(options)
    if (tar) {
      try {
        return ok({
          engine: await Engine.open(
            { dataDir, loadDataDir: new Blob([new Uint8Array(tar)]) },
            onNotify,
          ),
          origin: 'image',
        })
      } catch (cause) {
        unusable(options.log, cause)
      }
    }
    return ok({ engine: await Engine.open({ dataDir }, onNotify), origin: 'initdb' })
  } catch (cause) {
    return err(unavailable(dataDir, cause))
  }
}

async function createIn({
  dataDir,
  onNotify,
  ...options
}: OpenOptions): Promise<Result<Opened, Failure>> {
  try {
    writeFileSync(join(dataDir, '.gitignore'), '*\n') // conversations are nothing to commit
    const tar = await imageOf(options)
    const fromImage = tar !== undefined && (await unpacked(tar, dataDir, options.log))
    if (!fromImage)
      await initialise(dataDir, async (into) =>
        (await Engine.open({ dataDir: into }, onNotify)).close(),
      )
    return ok({
      engine: await Engine.open({ dataDir }, onNotify),
      origin: fromImage ? 'image' : 'initdb',
    })
  } catch (cause) {
    return err(unavailable(dataDir, cause))
  }
}

async function unpacked(tar: Uint8Array, dataDir: string, log: Logger): Promise<boolean> {
  try {
    await initialise(dataDir, (into) => {
      unpackImage(tar, into)
      return Promise.resolve()
    })
    return true
  } catch (cause) {
    unusable(log, cause)
    return false
  }
}

async function imageOf(options: ImageOptions): Promise<Uint8Array | undefined> {
  const image = await findImage(options)
  try {
    return await image?.tar()
  } catch (cause) {
    unusable(options.log, cause)
    return undefined
  }
}

const unusable = (log: Logger, cause: unknown): void =>
  log.warn('database.image_unusable', {
    message: messageOf(cause),
    instead: 'initdb, which takes seconds',
  })

const unavailable = (dataDir: string, cause: unknown): Failure =>
  failure(
    'DATABASE_UNAVAILABLE',
    `the database in ${dataDir} cannot be opened: ${messageOf(cause)}`,
    { details: { dataDir }, cause },
  )

/** The first image that is whole and fits. */
async function findImage({ image, migrations, log }: ImageOptions): Promise<Image | undefined> {
  const files =
    image !== undefined
      ? [image]
      : [...(existsSync(PREPARED_IMAGE) ? [PREPARED_IMAGE] : []), SHIPPED_IMAGE]
  for (const [at, file] of files.entries()) {
    const instead = at + 1 < files.length ? 'the shipped image' : 'initdb, which takes seconds'
    try {
      const found = await readImage(file)
      const unfit = whyUnfit(found, [...migrations.values()])
      if (unfit === undefined) return found
      log.debug('database.image_unfit', { image: String(file), message: unfit, instead })
    } catch (cause) {
      log.warn('database.image_unusable', {
        image: String(file),
        message: messageOf(cause),
        instead,
      })
    }
  }
  return undefined
}

/**
 * A new database holds the tables of its plugins and no others, and their migrations must be able
 * to go on from there.
 */
function whyUnfit({ header }: Image, lists: readonly MigrationList[]): string | undefined {
  const stranger = header.migrations.find(
    ({ plugin }) => !lists.some((list) => list.plugin === plugin),
  )
  if (stranger) return `it holds tables of ${stranger.plugin}, which is not among the plugins`
  const work = schemaWork(lists, { applied: header.migrations, secured: new Set(), role: true })
  return work.ok ? undefined : work.error.message
}
