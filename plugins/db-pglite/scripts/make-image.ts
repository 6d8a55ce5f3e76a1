/**
 * Makes `image/base.image` anew: run it after a new version of PGlite, and commit the result.
 *
 *     node plugins/db-pglite/scripts/make-image.ts
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { packImage, SHIPPED_IMAGE } from '../src/image.ts'
import { INITDB_PARAMETERS } from '../src/engine.ts'

const db = await PGlite.create({ dataDir: 'memory://', initDbStartParams: [...INITDB_PARAMETERS], startParams: [...PGlite.defaultStartParams, '-c', 'min_wal_size=2MB'] })
// Nothing ever makes another database here, and the templates are two thirds of the files: each start writes all of them.
for (const template of ['template0', 'template1']) {
  await db.exec(`alter database ${template} is_template false`)
  await db.exec(`drop database ${template}`)
}
await db.exec('vacuum')
await db.exec('checkpoint')
await db.exec('select pg_switch_wal()')
await db.exec('checkpoint')
const tar = new Uint8Array(await (await db.dumpDataDir('none')).arrayBuffer())
await db.close()

const compressed = zstdCompressSync(tar, {
  params: {
    [constants.ZSTD_c_compressionLevel]: 19,
    [constants.ZSTD_c_windowLog]: 26, // wide enough to see that one database is the copy of another
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  },
})
const manifest = join(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')), '..', 'package.json')
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
mkdirSync(new URL('.', SHIPPED_IMAGE), { recursive: true })
const image = packImage(version, compressed)
writeFileSync(SHIPPED_IMAGE, image)
process.stdout.write(`PGlite ${version}: ${(tar.length / 1e6).toFixed(1)} MB of database in an image of ${(image.length / 1e6).toFixed(2)} MB\n`)
