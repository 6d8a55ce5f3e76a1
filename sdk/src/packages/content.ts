import { createHash } from 'node:crypto'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of a package: its path with `/`, from the folder of the package. */
export interface PackageFile {
  readonly path: string
  readonly text: () => Promise<string>
}

/** Maximum number of files: a person cannot have reviewed a package of more. */
const MOST_FILES = 20_000

/**
 * The files of an installed package, without the packages that are installed below it.
 *
 * @param folder of the package
 */
export async function packageFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = []
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      if (entry.name === 'node_modules' || entry.name === '.git') continue
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) await walk(path)
      else found.push(path)
      if (found.length > MOST_FILES) throw new Error(`${folder} has more than ${MOST_FILES} files`)
    }
  }
  await walk('')
  return found.toSorted()
}

/**
 * A hash of all files of an installed package, stored in the lock: only the accepted content is
 * loaded. Packages installed below it (its dependencies) are not part of the hash; the lockfile of
 * the package manager pins those.
 *
 * @param folder of the package
 * @returns `sha512-…`
 */
export async function contentHash(folder: string): Promise<string> {
  const all = createHash('sha512')
  for (const path of await packageFiles(folder)) {
    const file = join(folder, path)
    const link = await readlink(file).catch(() => undefined)
    const content = link ?? (await readFile(file))
    all.update(`${path}\0${createHash('sha256').update(content).digest('hex')}\n`)
  }
  return `sha512-${all.digest('base64')}`
}
