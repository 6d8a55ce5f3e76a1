import { realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { err, failure, ok, tryAsync, type Failure, type Result } from '@amodal/sdk'
import { mountOf, readOwnFile } from '@amodal/sdk/files'

/** Bytes of a file that a handler may read. */
const MOST_BYTES = 1_048_576

/**
 * Reads a text file of the agent's folder for a handler. What is hidden, such as `.env`, and what
 * stands elsewhere is refused, also where a link leads to it.
 *
 * @param path from the folder's root, with `/`
 * @example await readRepoFile('knowledge/soil.md', root, signal)
 */
export async function readRepoFile(
  path: string,
  root: string,
  signal: AbortSignal,
): Promise<Result<string, Failure>> {
  const parts = path.split('/')
  if (path === '' || /^[/\\]|^[A-Za-z]:|\\|\0/.test(path))
    return refused(path, 'write a path from the root of the agent folder, such as knowledge/a.md')
  if (parts.some((part) => part === '' || part.startsWith('.') || part === 'node_modules'))
    return refused(path, 'it may have no `..`, no hidden file and no hidden folder')
  const read = await tryAsync(
    async () => {
      const from = await realpath(root)
      const real = await realpath(join(from, path))
      // A link may lead to a file that is hidden, as well as out of the folder.
      if (real !== join(from, path) && !isPlainBelow(from, real)) return undefined
      signal.throwIfAborted()
      return readOwnFile(await mountOf(from), real, MOST_BYTES)
    },
    () => failure('NOT_FOUND', `there is no file "${path}" in the agent folder`),
  )
  if (!read.ok) return read
  if (!read.value) return refused(path, 'a link leads out of the folder, or to a hidden file')
  switch (read.value.kind) {
    case 'elsewhere':
      return refused(path, read.value.why)
    case 'large':
      return err(
        failure(
          'TOO_LARGE',
          `"${path}" has ${read.value.size} bytes, and ${MOST_BYTES} are the most`,
        ),
      )
    default:
      return ok(Buffer.from(read.value.bytes).toString('utf8'))
  }
}

const refused = (path: string, why: string): Result<never, Failure> =>
  err(failure('TOOL_DENIED', `"${path}" may not be read: ${why}`))

const isPlainBelow = (root: string, real: string): boolean =>
  real.startsWith(root + sep) &&
  real
    .slice(root.length + 1)
    .split(sep)
    .every((part) => !part.startsWith('.') && part !== 'node_modules')
