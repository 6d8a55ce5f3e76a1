import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * What becomes part of a build: its own files, the libraries that are named, and whatever these
 * import. All else stays an import.
 *
 * zod has a hundred files, so the sdk holds one copy of it for all packages of this workspace. A
 * plugin of somebody else has its own; schemas of both work everywhere.
 *
 * @param inline names of packages
 * @param external names of packages that stay imports, also where one of those imports them
 * @param empty names of packages that nobody installs, imported by code that never runs: an import
 *   of them would stop the bundlers of those who embed
 */
export function inlined(
  inline: readonly string[],
  external: readonly string[] = [],
  empty: readonly string[] = [],
): Plugin {
  return {
    name: 'inlined',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
        if (kind === 'entry-point') return undefined
        if (!inline.includes('zod') && /^zod(\/v4(\/core)?)?$/.test(path))
          return { path: '@amodal/sdk/zod', external: true, sideEffects: false }
        const name = /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? ''
        if (empty.includes(name)) return { path, namespace: 'empty' }
        const inside =
          !external.includes(name) && (importer.includes('/node_modules/') || inline.includes(name))
        return inside ? undefined : { path, external: true }
      })
      build.onLoad({ filter: /./, namespace: 'empty' }, () => ({
        contents: 'export default undefined',
      }))
    },
  }
}

/** Writes the licences of all libraries that became part of a build to `licences.txt` in it. */
export function licences(root: string, outDir: string): Plugin {
  return {
    name: 'licences',
    setup(build) {
      build.onEnd(({ metafile }) => {
        const folders = Object.keys(metafile?.inputs ?? {}).flatMap(
          (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
        )
        const texts = textsOf([...new Set(folders)].sort().map((folder) => join(root, folder)))
        if (texts.length === 0) return
        mkdirSync(outDir, { recursive: true })
        writeFileSync(join(outDir, 'licences.txt'), texts.join('\n\n----\n\n'))
      })
    },
  }
}

/** A package without a text of its own is by the people of another with its scope and licence. */
function textsOf(folders: readonly string[]): readonly string[] {
  const packages = folders.map((folder) => {
    const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name: string
      readonly license: string
    } // every installed package has them
    return { name, kind: `${name.split('/')[0]} ${license}`, text: textIn(folder) }
  })
  return packages.map(({ name, kind, text }) => {
    const found = text ?? packages.find((one) => one.text && one.kind === kind)?.text
    if (found === undefined) throw new Error(`${name} has no text of its licence`)
    return `${name}\n\n${found}`
  })
}

/** In a file of its own, or under the last heading of the README. */
function textIn(folder: string): string | undefined {
  const read = (name: RegExp): string | undefined => {
    const file = readdirSync(folder).find((one) => name.test(one))
    return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8').trim()
  }
  return read(/^licen[cs]e/i) ?? /\n#+ *licen[cs]e\s+([^]+)$/i.exec(read(/^readme/i) ?? '')?.[1]
}
