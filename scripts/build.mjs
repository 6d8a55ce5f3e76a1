/**
 * Builds what is stale: JavaScript by tsup, and with `--types` declarations by the native
 * TypeScript compiler.
 *
 *     node scripts/build.mjs [--types] [--tidy]
 *
 * Chunks of an earlier build stay, since a server that runs may have yet to load them; `--tidy`
 * removes them.
 */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'
import { configOf } from '../tsup.config.ts'
import { childResult } from './lib/child.mjs'
import { packageFolders, pageScript, stalePackages, STAMP } from './lib/packages.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** @param {string} folder @param {string} state */
async function buildPackage(folder, state) {
  const begin = Date.now()
  for (const options of configOf(root, folder)) {
    await build(options)
    for (const name of programFiles(options.entry))
      copyFileSync(name, join(options.outDir ?? '', name.slice(name.lastIndexOf('/') + 1)))
  }
  const script = pageScript(root, folder)
  if (script !== undefined) await run(join(root, folder), script)
  const files = filesIn(join(root, folder, 'dist')).filter(
    (file) => statSync(join(root, folder, 'dist', file)).mtimeMs >= begin,
  )
  writeFileSync(join(root, folder, STAMP), [state, ...files].join('\n'))
}

/** @param {string} cwd @param {string} script */
async function run(cwd, script) {
  const { code, output } = await childResult(process.execPath, [script], {
    cwd,
    // a test runner sets another one, with which React is several times as large
    env: { ...process.env, NODE_ENV: 'production' },
    capture: true,
  })
  if (code !== 0) throw new Error(`${join(cwd, script)}:\n${output}`)
}

/** What stands beside programs and is no TypeScript. @param {unknown} entry @returns {string[]} */
function programFiles(entry) {
  const [pattern] = Array.isArray(entry) ? entry : []
  if (typeof pattern !== 'string') return []
  const folder = dirname(pattern)
  return readdirSync(folder)
    .filter((name) => !name.endsWith('.ts'))
    .map((name) => join(folder, name))
}

/** @param {string} folder @returns {string[]} paths in it, but for declarations */
function filesIn(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((file) => !file.startsWith('types/') && file !== '.built')
}

function buildTypes() {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.types.json', '--pretty', 'false'],
    { cwd: root, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stdout)
  const made = join(root, '.types')
  for (const folder of packageFolders(root)) {
    rmSync(join(root, folder, 'dist/types'), { recursive: true, force: true })
    const source = join(made, folder, 'src')
    for (const file of filesIn(source)) {
      const to = join(root, folder, 'dist/types', file)
      mkdirSync(dirname(to), { recursive: true })
      // The compiler leaves names of sources in declarations, and outside of this workspace there
      // are none.
      writeFileSync(
        to,
        readFileSync(join(source, file), 'utf8').replace(
          /((?:from |import\()["']\.\.?\/[^"']+)\.tsx?(["'])/g,
          '$1.js$2',
        ),
      )
    }
  }
  rmSync(made, { recursive: true, force: true })
}

/** Removes what the last build of each package did not make. */
function tidy() {
  for (const folder of packageFolders(root)) {
    const [, ...made] = readFileSync(join(root, folder, STAMP), 'utf8').split('\n')
    for (const file of filesIn(join(root, folder, 'dist')))
      if (!made.includes(file)) rmSync(join(root, folder, 'dist', file))
  }
}

await Promise.all(stalePackages(root).map(({ folder, state }) => buildPackage(folder, state)))
if (process.argv.includes('--types')) buildTypes()
if (process.argv.includes('--tidy')) tidy()
