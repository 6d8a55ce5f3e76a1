import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The packages that are published, by their folders. All of them have one version.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function publishedFolders(root) {
  const below = (/** @type {string} */ folder) =>
    readdirSync(join(root, folder))
      .sort()
      .map((name) => `${folder}/${name}`)
  const creators = below('cli').filter((folder) => folder.startsWith('cli/create-'))
  const folders = [
    'kernel',
    'sdk',
    'sdk/react',
    'sdk/widget',
    'presets',
    'cli',
    ...creators,
    ...below('plugins'),
  ]
  return folders.filter((folder) => existsSync(join(root, folder, 'package.json')))
}

/**
 * Writes the version of the packages wherever else it stands: in what plugins say of themselves, in
 * the package.json of the workspace, on the first page, and in the example of a package of somebody
 * else.
 *
 * @param {string} root
 * @returns {string} the version
 */
export function followVersion(root) {
  const { version } = readJson(join(root, 'kernel/package.json'))
  for (const folder of publishedFolders(root).filter((one) => one.startsWith('plugins/')))
    edit(join(root, folder, 'src/index.ts'), /^ {2}version: '[^']*',$/m, `  version: '${version}',`)
  edit(join(root, 'package.json'), /^ {2}"version": ".*",$/m, `  "version": "${version}",`)
  edit(join(root, 'README.md'), /^Version \d+\.\d+\.\d+\./m, `Version ${version}.`)
  edit(
    join(root, 'examples/third-party-plugin/package.json'),
    /("(?:@amodal\/[\w-]+|amodal)": )"\^[^"]*"/g,
    `$1"^${version}"`,
  )
  return version
}

/**
 * Says in each package where it comes from: npm refuses provenance of any other place.
 *
 * @param {string} root
 * @param {string} url of the repository
 */
export function declareRepository(root, url) {
  for (const folder of publishedFolders(root)) {
    const file = join(root, folder, 'package.json')
    const repository = { type: 'git', url: `git+${url}.git`, directory: folder }
    writeFileSync(file, `${JSON.stringify({ ...readJson(file), repository }, undefined, 2)}\n`)
  }
}

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** @param {string} file @param {RegExp} pattern @param {string} text */
function edit(file, pattern, text) {
  const before = readFileSync(file, 'utf8')
  if (before.search(pattern) === -1) throw new Error(`${file} has no version`)
  writeFileSync(file, before.replace(pattern, text))
}
