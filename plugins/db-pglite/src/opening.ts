import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { err, failure, messageOf, ok, type Failure, type Logger, type MigrationList, type Result } from '@amodal/sdk'
import { schemaWork, type MigrationLists } from '@amodal/sdk/database'
import { Engine } from './engine.ts'
import { PREPARED_IMAGE, readImage, SHIPPED_IMAGE, unpackImage, type Image } from './image.ts'

export const MEMORY = 'memory://'

/** The major version of Postgres inside PGlite. */
const POSTGRES = '18'

/** How a database came to be open. */
export type Origin = 'folder' | 'image' | 'initdb'

export interface Opened { readonly engine: Engine; readonly origin: Origin }

export interface OpenOptions {
  /** A folder, or {@link MEMORY}. */
  readonly dataDir: string
  /** Instead of those of this package. */
  readonly image: string | undefined
  /** What will be asked of the database: an image that was prepared for an older release may do, or not. */
  readonly migrations: MigrationLists
  readonly heard: (channel: string, payload: string) => void
  readonly log: Logger
}

/**
 * Opens a folder that is locked already, or a database in memory. A new one starts from an image, a tenth of the
 * time of `initdb`; where none can be read, or what came of it cannot be opened, `initdb` it is.
 */
export async function openDatabase(options: OpenOptions): Promise<Result<Opened, Failure>> {
  const { dataDir, heard } = options
  const there = dataDir === MEMORY ? undefined : versionOf(dataDir)
  if (there !== undefined && there !== POSTGRES) {
    return err(failure('DATABASE_UNAVAILABLE', `the database in ${dataDir} was made by Postgres ${there}, and this release runs Postgres ${POSTGRES}: open it with the release that made it, or choose another dataDir`, { details: { dataDir, found: there } }))
  }
  try {
    if (there !== undefined) return ok({ engine: await Engine.open({ dataDir }, heard), origin: 'folder' })
    if (dataDir !== MEMORY) writeFileSync(join(dataDir, '.gitignore'), '*\n') // conversations are nothing to commit
    const fromImage = await openImage(options)
    if (fromImage) return ok({ engine: fromImage, origin: 'image' })
    return ok({ engine: await Engine.open({ dataDir }, heard), origin: 'initdb' })
  } catch (cause) {
    return err(failure('DATABASE_UNAVAILABLE', `the database in ${dataDir} cannot be opened: ${messageOf(cause)}`, { details: { dataDir }, cause }))
  }
}

async function openImage(options: OpenOptions): Promise<Engine | undefined> {
  const { dataDir, heard, log } = options
  const image = await findImage(options)
  if (!image) return undefined
  try {
    const tar = await image.tar()
    if (dataDir === MEMORY) return await Engine.open({ dataDir, loadDataDir: new Blob([new Uint8Array(tar)]) }, heard)
    unpackImage(tar, dataDir)
    return await Engine.open({ dataDir }, heard)
  } catch (cause) {
    log.warn('database.image_unusable', { message: messageOf(cause), instead: 'initdb, which takes seconds' })
    return undefined
  }
}

/** The first image that is whole and fits. */
async function findImage({ image, migrations, log }: OpenOptions): Promise<Image | undefined> {
  const files = image !== undefined ? [image] : [...(existsSync(PREPARED_IMAGE) ? [PREPARED_IMAGE] : []), SHIPPED_IMAGE]
  for (const [at, file] of files.entries()) {
    const instead = at + 1 < files.length ? 'the shipped image' : 'initdb, which takes seconds'
    try {
      const found = await readImage(file)
      const unfit = whyUnfit(found, [...migrations.values()])
      if (unfit === undefined) return found
      log.debug('database.image_unfit', { image: String(file), message: unfit, instead })
    } catch (cause) {
      log.warn('database.image_unusable', { image: String(file), message: messageOf(cause), instead })
    }
  }
  return undefined
}

/** A new database holds the tables of its plugins and no others, and their migrations must be able to go on from there. */
function whyUnfit({ header }: Image, lists: readonly MigrationList[]): string | undefined {
  const stranger = header.migrations.find(({ plugin }) => !lists.some((list) => list.plugin === plugin))
  if (stranger) return `it holds tables of ${stranger.plugin}, which is not among the plugins`
  const work = schemaWork(lists, { applied: header.migrations, secured: new Set(), role: true })
  return work.ok ? undefined : work.error.message
}

function versionOf(folder: string): string | undefined {
  const file = join(folder, 'PG_VERSION')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}
