/**
 * Puts the documentation into the package before it is packed, for `amodal docs`; `--remove` takes
 * it out afterwards.
 */
import { cpSync, rmSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const from = fileURLToPath(new URL('../../docs', import.meta.url))
const to = fileURLToPath(new URL('../docs', import.meta.url))
/** Other files than pages: pictures, and what builds the site. */
const isPage = (/** @type {string} */ path) => extname(path) === '.md' || extname(path) === ''

rmSync(to, { recursive: true, force: true })
if (!process.argv.includes('--remove'))
  cpSync(from, to, {
    recursive: true,
    filter: (path) => isPage(path) && !path.startsWith(`${from}/site`),
  })
