import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { Stopped } from './stopped.mjs'
import { ONLY_IN_ALL } from './tiers.mjs'

const SOURCE = /\.(?:[cm]?[jt]s|tsx)$/
const TEST = /\.test\.ts$/
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g
const PACKAGE_FOLDER =
  /^(?:kernel|sdk|presets|cli\/create-[^/]+|cli|(?:plugins|examples)\/[^/]+)(?=\/)/

/**
 * Files that differ from a commit, those that git does not know yet included; deleted ones are not.
 *
 * @param {string} root
 * @param {string} [ref] default: where this branch left main
 * @returns {string[]} relative to the root
 */
export function changedFiles(root, ref) {
  const base = ref ?? git(root, 'merge-base', mainOf(root), 'HEAD').trim()
  const tracked = git(root, 'diff', '--name-only', '--no-renames', '-z', base, '--')
  const untracked = git(root, 'ls-files', '--others', '--exclude-standard', '-z')
  return `${tracked}${untracked}`
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)))
}

/** @param {string} root */
const mainOf = (root) =>
  git(root, 'branch', '--list', '--format=%(refname:short)', 'main').trim() === 'main'
    ? 'main'
    : 'origin/main'

/** @param {string} root @param {string[]} args */
function git(root, ...args) {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 ** 2,
    })
  } catch (error) {
    const { stderr = '' } = /** @type {{ stderr?: string }} */ (error)
    throw new Stopped(`git ${args[0]}: ${stderr.trim() || 'failed'}`)
  }
}

/**
 * Test files that a change can plausibly break: those that changed, and of the gate those of a
 * changed package and those that import something that changed, directly or by a helper of theirs.
 * A test that reaches a package through another one, or that runs what is built, is left to the
 * gate.
 *
 * @param {string} root
 * @param {readonly string[]} changed
 * @returns {string[]}
 */
export function dependentTests(root, changed) {
  const files = new Set(changed)
  const packages = new Set(changed.filter(isProduct).flatMap((file) => folderOf(file) ?? []))
  const names = new Set([...packages].flatMap((folder) => nameOf(root, folder) ?? []))
  const tests = git(
    root,
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '-z',
    '*.test.ts',
  )
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)))
    .filter((file) => !file.startsWith('examples/third-party-plugin/'))
  /** @type {Map<string, readonly string[]>} */
  const imports = new Map()
  const importsOf = (/** @type {string} */ file) => {
    const found = imports.get(file) ?? readImports(root, file)
    imports.set(file, found)
    return found
  }
  const isAffected = (/** @type {string} */ specifier) =>
    files.has(specifier) ||
    [...names].some((name) => specifier === name || specifier.startsWith(`${name}/`))
  return tests.filter(
    (file) =>
      files.has(file) ||
      (isInGate(file) &&
        (packages.has(folderOf(file) ?? '') || closure(file, importsOf).some(isAffected))),
  )
}

/** @param {string} file */
const isInGate = (file) => !Object.keys(ONLY_IN_ALL).some((pattern) => matchesGlob(file, pattern))
/** @param {string} file */
const isProduct = (file) => SOURCE.test(file) && !TEST.test(file) && !file.includes('/test/')
/** @param {string} file */
const folderOf = (file) => PACKAGE_FOLDER.exec(file)?.[0]

/** @param {string} root @param {string} folder @returns {string | undefined} */
function nameOf(root, folder) {
  const manifest = join(root, folder, 'package.json')
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).name : undefined
}

/**
 * What a file imports: files of its own package by their path, packages by their specifier.
 *
 * @param {string} root @param {string} file
 * @returns {readonly string[]}
 */
function readImports(root, file) {
  // a specifier such as `graphql/language/index.js` reads like a path, and is none
  if (!SOURCE.test(file) || !existsSync(join(root, file))) return []
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(IMPORT)].flatMap(([, specifier = '']) => {
    if (!specifier.startsWith('.')) return [specifier]
    const path = join(root, dirname(file), specifier)
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? [relative(root, path)] : []
  })
}

/**
 * @param {string} file
 * @param {(file: string) => readonly string[]} importsOf
 * @returns {string[]} everything that is imported, at any depth within the package
 */
function closure(file, importsOf) {
  const seen = new Set([file])
  for (const one of seen) for (const specifier of importsOf(one)) seen.add(specifier)
  return [...seen]
}
