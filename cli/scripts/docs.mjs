/**
 * Puts the documentation into the package before it is packed, for `amodal docs`; `--remove` takes
 * it out afterwards.
 */
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const from = fileURLToPath(new URL('../../docs', import.meta.url))
const to = fileURLToPath(new URL('../docs', import.meta.url))
/** Other files than pages: pictures, and what builds the site. */
const isPage = (/** @type {string} */ path) => extname(path) === '.md' || extname(path) === ''

rmSync(to, { recursive: true, force: true })
if (!process.argv.includes('--remove')) {
  cpSync(from, to, {
    recursive: true,
    filter: (path) => isPage(path) && !path.startsWith(join(from, 'site')),
  })
  const plugins = fileURLToPath(new URL('../../plugins', import.meta.url))
  for (const name of readdirSync(plugins)) {
    const page = join(plugins, name, 'README.md')
    if (existsSync(page)) cpSync(page, join(to, 'plugins', name, 'README.md'))
  }
}
