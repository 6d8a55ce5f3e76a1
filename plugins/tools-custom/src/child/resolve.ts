import { registerHooks } from 'node:module'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROVIDED = ['@amodalai/core', '@amodalai/types', '@amodal/sdk']
const isSource = import.meta.url.endsWith('.ts')
const API = new URL(isSource ? './api.ts' : './api.mjs', import.meta.url).href

/**
 * What the handler imports: our own module under the names that handlers know; TypeScript also
 * without its extension; and code of its own roots only, since what lies elsewhere is not part of
 * what was approved.
 */
export function ownImports(roots: readonly string[]): void {
  const isOwn = (url: string | undefined): boolean => {
    if (url?.startsWith('file:') !== true) return false
    const path = fileURLToPath(url)
    return roots.some((root) => path === root || path.startsWith(root + sep))
  }
  registerHooks({
    resolve(specifier, context, next) {
      if (!isOwn(context.parentURL)) return next(specifier, context)
      if (PROVIDED.includes(specifier))
        return { url: API, shortCircuit: true, format: isSource ? 'module-typescript' : 'module' }
      const found = resolved(specifier, (name) => next(name, context))
      if (found.url.startsWith('file:') && !isOwn(found.url)) {
        throw new Error(
          /^[./]/.test(specifier)
            ? `"${specifier}" lies outside of this tool: move it into the tool's folder, or into tools/_shared`
            : `the package "${specifier}" is not installed in this tool's folder: name it in a package.json there, and run npm install --prefix on it`,
        )
      }
      return found
    },
  })
}

function resolved<T>(specifier: string, next: (specifier: string) => T): T {
  try {
    return next(specifier)
  } catch (cause) {
    if (!/^\.{1,2}\//.test(specifier)) throw cause
    for (const name of [
      `${specifier}.ts`,
      specifier.replace(/\.js$/, '.ts'),
      `${specifier}/index.ts`,
    ]) {
      try {
        return next(name)
      } catch {
        // The first reason is told.
      }
    }
    throw cause
  }
}
