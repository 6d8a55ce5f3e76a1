import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { manifestPath } from '@amodal/sdk/packages'

/**
 * The conditions that `import` uses in `exports`: for another folder Node resolves only as
 * `require`, which can pick or miss other entries.
 */
const CONDITIONS = ['node', 'import', 'module-sync']

/**
 * The file that `import name` would load, were it written in `from`.
 *
 * @returns `undefined` where no such package is installed for `from`; throws where it is, and does
 *   not offer this
 * @see https://nodejs.org/api/packages.html#package-entry-points
 */
export async function packageEntry(name: string, from: string): Promise<string | undefined> {
  const manifest = manifestPath(name, from)
  if (manifest === undefined) return undefined
  // Most agents name no package. What is installed may change until the next look: no cache.
  const { resolveModulePath } = await import('exsolve')
  const entry = resolveModulePath(name, {
    from: pathToFileURL(from),
    conditions: CONDITIONS,
    cache: false,
    try: true,
  })
  if (entry !== undefined) return entry
  throw new Error(`the package in ${dirname(manifest)} does not export "${name}"`)
}
