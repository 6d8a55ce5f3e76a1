import { existsSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { onSite } from './pages.mjs'

/**
 * A plugin of markdown-it: links that lead to files of the clone which are no pages become plain
 * text, since the site does not have them; those to a folder lead to its README.
 *
 * @param {import('markdown-it').default} markdown
 * @param {string} source folder of the pages
 */
export function onlyPages(markdown, source) {
  markdown.core.ruler.after('inline', 'only-pages', ({ tokens, env }) => {
    for (const { children } of tokens)
      if (children) followIn(children, env.relativePath ?? '', source)
  })
  const { text } = markdown.renderer.rules
  // Vue would take them for expressions
  markdown.renderer.rules.text = (tokens, index, options, env, self) =>
    (text?.(tokens, index, options, env, self) ?? '').replaceAll(
      /\{\{|\}\}/g,
      (mark) => `<span v-pre>${mark}</span>`,
    )
}

/**
 * @param {import('markdown-it/lib/token.mjs').default[]} children
 * @param {string} page
 * @param {string} source
 */
function followIn(children, page, source) {
  let isDropped = false
  for (const token of children) {
    if (token.type === 'link_open') {
      const target = targetOf(token.attrGet('href') ?? '', page, source)
      isDropped = target === undefined
      if (target !== undefined) token.attrSet('href', target)
    }
    if (isDropped && (token.type === 'link_open' || token.type === 'link_close')) {
      isDropped = token.type === 'link_open'
      token.type = 'text'
      token.tag = ''
      token.nesting = 0
      token.content = ''
    }
  }
}

/** @param {string} href @param {string} page @param {string} source */
function targetOf(href, page, source) {
  const [path = '', anchor] = href.split('#')
  if (path === '' || /^[a-z][a-z0-9+.-]*:/i.test(path)) return href
  const target = posix.join(dirname(page), decodeURI(path))
  const full = join(source, target)
  const isFolder = existsSync(full) && statSync(full).isDirectory()
  const file = onSite(isFolder ? posix.join(target, 'README.md') : target)
  // a page that is missing stays a link, so that the build names it
  if (!existsSync(join(source, file)) && (isFolder || !path.endsWith('.md'))) return undefined
  const from = posix.relative(dirname(page), file)
  const relative = from.startsWith('.') ? from : `./${from}`
  return anchor === undefined ? relative : `${relative}#${anchor}`
}
