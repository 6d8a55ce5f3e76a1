import { registerHooks, type ResolveFnOutput } from 'node:module'
import type { Compiled } from './compiled.ts'

/** What a relative import names is a file as it stands: there are no links inside of packages. */
const RELATIVE = /^\.\.?\/.*\.(ts|m?js)$/

/**
 * Spares a start most of its lookups: Node asks the disk several times about every import of every file, and there are many
 * hundred. Below `root` a relative import is taken for the file it names, and a package name, which means the same for
 * all files of a folder, is looked up once for each folder. What is found is what Node would find; where that is a door of
 * a package that was compiled, everybody gets the compiled one, so that there is one of each package in the process.
 *
 * @param root address of a folder, with a slash at its end
 * @param compiled what stands there for the sources, and where their imports lead
 * @see https://nodejs.org/api/module.html#customization-hooks
 */
export function resolveQuickly(root: string, { doors, imports }: Pick<Compiled, 'doors' | 'imports'> = { doors: [], imports: [] }): void {
  const at = (file: string, format?: string): ResolveFnOutput => ({ url: new URL(file, root).href, shortCircuit: true, ...(format !== undefined && { format }) })
  const doorOf = new Map<string, ResolveFnOutput>()
  for (const { name, source, compiled } of doors) {
    const door = at(compiled, 'module')
    doorOf.set(`${root}${source}`, door)
    if (name !== undefined) doorOf.set(name, door)
  }
  const known = new Map(imports.map(({ folder, name, file, format }) => [`${root}${folder}/ ${name}`, at(file, format)]))
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL: parent, conditions } = context
      if (parent?.startsWith(root) !== true || !conditions.includes('import')) {
        const found = next(specifier, context)
        return doorOf.get(found.url) ?? found
      }
      const [, kind] = RELATIVE.exec(specifier) ?? []
      if (kind !== undefined) {
        const url = new URL(specifier, parent).href
        return doorOf.get(url) ?? { url, shortCircuit: true, ...(kind === 'ts' && { format: 'module-typescript' }) }
      }
      const key = `${parent.slice(0, parent.lastIndexOf('/') + 1)} ${specifier}`
      const found = doorOf.get(specifier) ?? known.get(key) ?? { ...next(specifier, context), shortCircuit: true }
      known.set(key, found)
      return found
    },
  })
}
