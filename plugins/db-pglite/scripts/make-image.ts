/**
 * Makes `image/base.image` anew: run it after a new version of PGlite, and commit the result.
 *
 *     node plugins/db-pglite/scripts/make-image.ts
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Engine } from '../src/engine.ts'
import { packImage, SHIPPED_IMAGE } from '../src/image.ts'
import { MEMORY } from '../src/opening.ts'

const engine = await Engine.open({ dataDir: MEMORY }, () => undefined)
// Nothing ever makes another database here, and the templates are two thirds of the files: each
// start writes all of them.
for (const template of ['template0', 'template1']) {
  await engine.script(`alter database ${template} is_template false`)
  await engine.script(`drop database ${template}`)
}
const tar = await engine.dump()
await engine.close()

const manifest = join(
  dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')),
  '..',
  'package.json',
)
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
const image = packImage(tar, { pglite: version, migrations: [] }, 'small')
mkdirSync(new URL('.', SHIPPED_IMAGE), { recursive: true })
writeFileSync(SHIPPED_IMAGE, image)
process.stdout.write(
  `PGlite ${version}: ${(tar.length / 1e6).toFixed(1)} MB of database in an image of ${(image.length / 1e6).toFixed(2)} MB\n`,
)
