import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of the agent before and after a change; `undefined`: it is not there. */
export interface FileChange {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Values that no report may show. */
const SECRET = '.env'

/** Reads the files that differ between a folder and its changed copy, to name lines of them. */
export function readFileChanges(
  root: string,
  copy: string,
  files: readonly string[],
): Promise<readonly FileChange[]> {
  return Promise.all(
    files
      .filter((path) => path !== SECRET)
      .map(async (path) => {
        const [before, after] = await Promise.all([textOf(root, path), textOf(copy, path)])
        return { path, before, after }
      }),
  )
}

const textOf = (folder: string, path: string): Promise<string | undefined> =>
  readFile(join(folder, path), 'utf8').then(
    (text) => text.replaceAll('\r\n', '\n'),
    () => undefined,
  )
