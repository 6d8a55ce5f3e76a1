import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The `package.json` of an installed package, as a file at a place would find it: in the nearest
 * `node_modules` above. Node's own `findPackageJSON` is not there in other runtimes, such as Bun.
 *
 * @param name of the package, or what is imported from it, such as `@acme/plugin/tokens`
 * @param from absolute path of a file, which need not exist
 * @example
 * manifestPath('@acme/plugin', '/agents/support/amodal.json')
 * // '/agents/support/node_modules/@acme/plugin/package.json'
 */
export function manifestPath(name: string, from: string): string | undefined {
  const parts = name.split('/')
  const packageName = parts.slice(0, name.startsWith('@') ? 2 : 1)
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', ...packageName, 'package.json')
    if (existsSync(path)) return path
    if (folder === dirname(folder)) return undefined
  }
}
