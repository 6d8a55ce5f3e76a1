import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { failure, messageOf, tryAsync, type Failure, type Result } from '@amodal/sdk'

/** Paths of the files of a folder with this extension, relative to it and sorted. */
export const filesOf = (
  folder: string,
  extension: string,
): Promise<Result<readonly string[], Failure>> =>
  tryAsync(
    () => below(folder, '', extension),
    (cause) => failure('UNREADABLE', `the code cannot be read: ${messageOf(cause)}`, { cause }),
  )

async function below(root: string, folder: string, extension: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true })
  const paths = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory())
        return entry.name === 'node_modules' ? [] : below(root, path, extension)
      return entry.isFile() && entry.name.endsWith(extension) ? [path] : []
    }),
  )
  return paths.flat().sort()
}
