import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

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
  return ['kernel', 'sdk', 'presets', 'cli', ...plugins].filter((folder) =>
    existsSync(join(root, folder, 'package.json')),
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
    .filter(({ folder, state }) => stampOf(root, folder) !== state)
}

/** @param {string} root @param {string} folder */
const stampOf = (root, folder) =>
  existsSync(join(root, folder, STAMP))
    ? readFileSync(join(root, folder, STAMP), 'utf8').split('\n')[0]
    : undefined

/** @param {string} root @param {string} folder @param {string} recipe */
function stateOf(root, folder, recipe) {
  const files = [
    'package.json',
    ...readdirSync(join(root, folder, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(root, folder).length + 1)),
  ]
  const hash = createHash('sha256').update(recipe)
  for (const file of files.sort()) hash.update(`\n${describe(join(root, folder), file)}`)
  return hash.digest('hex')
}

/** @param {string} root @param {string} file */
function describe(root, file) {
  const stat = statSync(join(root, file), { throwIfNoEntry: false })
  return `${file} ${stat?.mtimeMs} ${stat?.size}`
}
