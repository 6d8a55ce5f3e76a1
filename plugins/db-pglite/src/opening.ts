import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { err, failure, messageOf, ok, type Failure, type Logger, type Result } from '@amodal/sdk'
import { Engine } from './engine.ts'
import { readImage, unpackImage } from './image.ts'

export const MEMORY = 'memory://'

/** The major version of Postgres inside PGlite. */
const POSTGRES = '18'

/** How a database came to be open. */
export type Origin = 'folder' | 'image' | 'initdb'

export interface Opened { readonly engine: Engine; readonly origin: Origin }

/**
 * Opens a folder that is locked already, or a database in memory. A new one starts from the image, a tenth of the
 * time of `initdb`; where the image cannot be read, or what came of it cannot be opened, `initdb` it is.
 */
export async function openDatabase(dataDir: string, image: URL | string, heard: (channel: string, payload: string) => void, log: Logger): Promise<Result<Opened, Failure>> {
  const there = dataDir === MEMORY ? undefined : versionOf(dataDir)
  if (there !== undefined && there !== POSTGRES) {
    return err(failure('DATABASE_UNAVAILABLE', `the database in ${dataDir} was made by Postgres ${there}, and this release runs Postgres ${POSTGRES}: open it with the release that made it, or choose another dataDir`, { details: { dataDir, found: there } }))
  }
  try {
    if (there !== undefined) return ok({ engine: await Engine.open({ dataDir }, heard), origin: 'folder' })
    if (dataDir !== MEMORY) writeFileSync(join(dataDir, '.gitignore'), '*\n') // conversations are nothing to commit
    const fromImage = await openImage(dataDir, image, heard, log)
    if (fromImage) return ok({ engine: fromImage, origin: 'image' })
    return ok({ engine: await Engine.open({ dataDir }, heard), origin: 'initdb' })
  } catch (cause) {
    return err(failure('DATABASE_UNAVAILABLE', `the database in ${dataDir} cannot be opened: ${messageOf(cause)}`, { details: { dataDir }, cause }))
  }
}

async function openImage(dataDir: string, image: URL | string, heard: (channel: string, payload: string) => void, log: Logger): Promise<Engine | undefined> {
  try {
    const { tar } = await readImage(image)
    if (dataDir === MEMORY) return await Engine.open({ dataDir, loadDataDir: new Blob([new Uint8Array(tar)]) }, heard)
    unpackImage(tar, dataDir)
    return await Engine.open({ dataDir }, heard)
  } catch (cause) {
    log.warn('database.image_unreadable', { image: String(image), message: messageOf(cause), instead: 'initdb, which takes seconds' })
    return undefined
  }
}

function versionOf(folder: string): string | undefined {
  const file = join(folder, 'PG_VERSION')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}
