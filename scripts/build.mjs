/**
 * Builds what is stale: JavaScript by tsup, and with `--types` declarations by the native TypeScript compiler.
 *
 *     node scripts/build.mjs [--types] [--clean]
 *
 * Chunks of an earlier build stay, since a server that runs may have yet to load them; `--clean` begins anew.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'
import { configOf } from '../tsup.config.ts'
import { packageFolders, stalePackages, STAMP } from './lib/packages.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** @param {string} folder @param {string} state */
async function buildPackage(folder, state) {
  for (const options of configOf(root, folder)) {
    await build(options)
    for (const name of programFiles(options.entry)) copyFileSync(name, join(options.outDir ?? '', name.slice(name.lastIndexOf('/') + 1)))
  }
  writeFileSync(join(root, folder, STAMP), state)
}

/** What stands beside programs and is no TypeScript. @param {unknown} entry @returns {string[]} */
function programFiles(entry) {
  const [pattern] = Array.isArray(entry) ? entry : []
  if (typeof pattern !== 'string') return []
  const folder = dirname(pattern)
  return readdirSync(folder).filter((name) => !name.endsWith('.ts')).map((name) => join(folder, name))
}

function buildTypes() {
  const { status, stdout } = spawnSync(process.execPath, ['node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.types.json', '--pretty', 'false'], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(stdout)
  const made = join(root, '.types')
  for (const folder of packageFolders(root)) {
    const source = join(made, folder, 'src')
    for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const from = join(entry.parentPath, entry.name)
      const to = join(root, folder, 'dist/types', from.slice(source.length))
      mkdirSync(dirname(to), { recursive: true })
      // The compiler leaves names of sources in declarations, and outside of this workspace there are none.
      writeFileSync(to, readFileSync(from, 'utf8').replace(/((?:from |import\()["']\.\.?\/[^"']+)\.tsx?(["'])/g, '$1.js$2'))
    }
  }
  rmSync(made, { recursive: true, force: true })
}

if (process.argv.includes('--clean')) for (const folder of packageFolders(root)) rmSync(join(root, folder, 'dist'), { recursive: true, force: true })
const stale = stalePackages(root)
await Promise.all(stale.map(({ folder, state }) => buildPackage(folder, state)))
if (process.argv.includes('--types')) buildTypes()
