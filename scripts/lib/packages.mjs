import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** What every package is built by. */
const RECIPE = [
  'tsup.config.ts',
  'tsconfig.json',
  'scripts/build.mjs',
  'scripts/lib/inlined.ts',
  'pnpm-lock.yaml',
]
/** Says in `dist` what it was built from, and which files that made: a line for each. */
export const STAMP = 'dist/.built'
/** Where a package has what its own `build` script makes: pages for browsers. */
export const PAGES = 'built'

/**
 * The packages of the product, by their folders.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function packageFolders(root) {
  const plugins = readdirSync(join(root, 'plugins'))
    .sort()
    .map((name) => `plugins/${name}`)
  return ['kernel', 'sdk', 'sdk/react', 'sdk/widget', 'presets', 'cli', ...plugins].filter(
    (folder) => existsSync(join(root, folder, 'package.json')),
  )
}

/**
 * Packages whose `dist` is not what their sources say. A few milliseconds: files are known by their
 * times and sizes.
 *
 * @param {string} root
 * @returns {{ folder: string, state: string }[]}
 */
export function stalePackages(root) {
  const recipe = RECIPE.map((file) => describe(root, file)).join('\n')
  return packageFolders(root)
    .map((folder) => ({ folder, state: stateOf(root, folder, recipe) }))
    .filter(({ folder, state }) => stampOf(root, folder) !== state || isPageMissing(root, folder))
}

/**
 * The script that builds the pages of a package, as `scripts.build` of its manifest names it.
 *
 * @param {string} root
 * @param {string} folder
 * @returns {string | undefined} a path inside the package
 */
export function pageScript(root, folder) {
  /** @type {{ scripts?: { build?: string } }} */
  const { scripts } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  return /^node (\S+)$/.exec(scripts?.build ?? '')?.[1]
}

/** @param {string} root @param {string} folder */
const isPageMissing = (root, folder) =>
  pageScript(root, folder) !== undefined && !existsSync(join(root, folder, PAGES))

/** @param {string} root @param {string} folder */
const stampOf = (root, folder) =>
  existsSync(join(root, folder, STAMP))
    ? readFileSync(join(root, folder, STAMP), 'utf8').split('\n')[0]
    : undefined

/** @param {string} root @param {string} folder @param {string} recipe */
function stateOf(root, folder, recipe) {
  const sources = [join(folder, 'src')]
  const script = pageScript(root, folder)
  // pages hold the client of the sdk
  if (script !== undefined) sources.push(join(folder, dirname(script)), 'sdk/src')
  const files = [join(folder, 'package.json'), ...sources.flatMap((from) => filesOf(root, from))]
  const hash = createHash('sha256').update(recipe)
  for (const file of files.sort()) hash.update(`\n${describe(root, file)}`)
  return hash.digest('hex')
}

/** @param {string} root @param {string} folder */
const filesOf = (root, folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))

/** @param {string} root @param {string} file */
function describe(root, file) {
  const stat = statSync(join(root, file), { throwIfNoEntry: false })
  return `${file} ${stat?.mtimeMs} ${stat?.size}`
}
