import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * What `import` looks for in `exports`; `require.resolve` would take, or miss, what is meant for
 * `require`.
 */
const CONDITIONS: ReadonlySet<string> = new Set(['node', 'import', 'module-sync', 'default'])

/**
 * The file that `import name` would load, were it written in `from`. Patterns in `exports` are not
 * followed.
 *
 * @returns `undefined` where no such package is installed for `from`; throws where it is, and does
 *   not offer this
 * @see https://nodejs.org/api/packages.html#package-entry-points
 */
export function packageEntry(name: string, from: string): string | undefined {
  const require = createRequire(from)
  const parts = name.split('/')
  const root = parts.slice(0, name.startsWith('@') ? 2 : 1).join('/')
  const folder = (require.resolve.paths(name) ?? [])
    .map((path) => join(path, root))
    .find((path) => existsSync(join(path, 'package.json')))
  if (folder === undefined) return undefined
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly exports?: unknown
  } // a package.json is an object
  if (exports === undefined) return require.resolve(name)
  const target = targetOf(exports, `.${name.slice(root.length)}`)
  if (target === undefined) throw new Error(`the package ${root} does not export "${name}"`)
  return join(folder, target)
}

function targetOf(exports: unknown, subpath: string): string | undefined {
  if (typeof exports === 'string') return subpath === '.' ? exports : undefined
  if (Array.isArray(exports))
    return exports.map((one) => targetOf(one, subpath)).find((target) => target !== undefined)
  if (typeof exports !== 'object' || exports === null) return undefined
  const entries: readonly (readonly [string, unknown])[] = Object.entries(exports)
  if (entries.some(([key]) => key.startsWith('.')))
    return targetOf(entries.find(([key]) => key === subpath)?.[1], '.')
  return entries
    .filter(([key]) => CONDITIONS.has(key))
    .map(([, one]) => targetOf(one, subpath))
    .find((target) => target !== undefined)
}
