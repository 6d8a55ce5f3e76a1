import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What of the clone is for readers: its pages, and the pictures on them. */
const PAGES =
  /^(?:README|CONTRIBUTING|CHANGELOG)\.md$|^docs\/(?!site\/)|^(?:kernel|sdk|presets|cli|plugins|examples|tests)\/(?:[^/]+\/)?README\.md$/
const WITH_PICTURES = /\.(?:md|png|svg|jpg)$/

/** Where the first page of the clone stands on the site, whose own first page is `home.md`. */
const INTRODUCTION = 'introduction.md'

/**
 * Copies the pages of the clone into a folder, each where its address says.
 *
 * @param {string} root of the clone
 * @param {string} source the folder; emptied first
 * @returns {readonly string[]} paths of the pages in the folder
 */
export function copyPages(root, source) {
  rmSync(source, { recursive: true, force: true })
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  const files = tracked.split('\0').filter((file) => PAGES.test(file) && WITH_PICTURES.test(file))
  return files.flatMap((file) => {
    const target = join(source, onSite(file))
    mkdirSync(dirname(target), { recursive: true })
    if (!file.endsWith('.md')) {
      copyFileSync(join(root, file), target)
      return []
    }
    writeFileSync(target, forSite(readFileSync(join(root, file), 'utf8')))
    return [onSite(file)]
  })
}

/**
 * The path of a page on the site: a README is what its folder shows.
 *
 * @param {string} page its path in the clone
 */
export const onSite = (page) =>
  page === 'README.md' ? INTRODUCTION : page.replace(/(^|\/)README\.md$/, '$1index.md')

/**
 * A page without what the site has in other places: who has written the file, and its contents,
 * which are in the margin.
 *
 * @param {string} text
 */
const forSite = (text) =>
  text.replace(/^<!--.*?-->\s*/s, '').replace(/^## Contents\n+(?:[ \t]*- .*\n)+\n*/m, '')

/**
 * The first heading of a page, without marks.
 *
 * @param {string} source @param {string} page
 */
export function titleOf(source, page) {
  const heading = /^# (.+)$/m.exec(readFileSync(join(source, page), 'utf8'))?.[1]
  return heading === undefined ? page : heading.replaceAll(/[`*\\]/g, '')
}
