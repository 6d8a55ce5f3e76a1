import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/**
 * What is wrong with the links of a site as it was built: VitePress looks at those of the pages
 * before they are rendered, and neither at their headings nor at the navigation.
 *
 * @param {string} folder of the built site
 * @returns {readonly string[]} each with the first page that has it
 */
export function deadLinks(folder) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.html'))
  const read = (/** @type {string} */ page) => readFileSync(join(folder, page), 'utf8')
  /** @type {Map<string, Set<string>>} */
  const headings = new Map()
  const headingsOf = (/** @type {string} */ page) => {
    const known = headings.get(page)
    if (known) return known
    const found = new Set([...read(page).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))
    headings.set(page, found)
    return found
  }
  /** @type {Map<string, string>} */
  const dead = new Map()
  for (const page of pages)
    for (const [, href = ''] of read(page).matchAll(/<a [^>]*?href="([^"]*)"/g)) {
      if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(href)) continue
      const [path = '', anchor] = href.split('#')
      const target = path === '' ? page : fileOf(folder, posix.join('/', dirname(page)), path)
      if (target === undefined) dead.set(href, page)
      else if (anchor && !headingsOf(target).has(decodeURIComponent(anchor))) dead.set(href, page)
    }
  return [...dead].map(([href, page]) => `${page}: ${href}`)
}

/** @param {string} folder @param {string} here @param {string} path */
function fileOf(folder, here, path) {
  const full = posix.resolve(here, decodeURI(path)).slice(1)
  const names = path.endsWith('/') || full === '' ? ['index.html'] : ['', '.html', '/index.html']
  return names
    .map((end) => (path.endsWith('/') || full === '' ? posix.join(full, end) : `${full}${end}`))
    .find((file) => existsSync(join(folder, file)) && statSync(join(folder, file)).isFile())
}
