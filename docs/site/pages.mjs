import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Folders of the clone whose pages are for readers. */
const PAGES =
  /^(?:README|CONTRIBUTING|CHANGELOG)\.md$|^(?:docs|kernel|sdk|presets|cli|plugins)\/|^(?:examples|tests)\/[^/]+\/README\.md$/
const WITH_PICTURES = /\.(?:md|png|svg|jpg)$/

/**
 * Copies the pages of the clone into a folder, each at its own path, so that their links hold.
 *
 * @param {string} root of the clone
 * @param {string} source the folder; emptied first
 * @returns {readonly string[]} paths of the pages
 */
export function copyPages(root, source) {
  rmSync(source, { recursive: true, force: true })
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  const files = tracked
    .split('\0')
    .filter((file) => PAGES.test(file) && WITH_PICTURES.test(file) && !/\/(?:test|ui)\//.test(file))
  for (const file of files) {
    mkdirSync(dirname(join(source, file)), { recursive: true })
    copyFileSync(join(root, file), join(source, file))
  }
  return files.filter((file) => file.endsWith('.md'))
}

/**
 * The first heading of a page, without marks.
 *
 * @param {string} source @param {string} page
 */
export function titleOf(source, page) {
  const heading = /^# (.+)$/m.exec(readFileSync(join(source, page), 'utf8'))?.[1]
  return heading === undefined ? page : heading.replaceAll(/[`*]/g, '')
}
