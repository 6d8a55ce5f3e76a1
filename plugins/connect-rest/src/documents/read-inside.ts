import { realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { err, tryAsync, type Result } from '@amodal/sdk'
import { mountOf, readOwnFile, textOf } from '@amodal/sdk/files'

export type Problem = { readonly why: string; readonly file?: string; readonly fix?: string }

export const SHORTER =
  'raise `maxDocumentBytes` of the plugin connect-rest, or save a document of those paths alone that the agent needs, and name them in `filter`'

/**
 * A file of the agent, however long; `undefined` where there is none. Links out of the folder are
 * not followed.
 */
export async function readInside(
  root: string | undefined,
  path: string,
  maxBytes: number,
): Promise<Result<string, Problem> | undefined> {
  if (root === undefined) return undefined
  const real = await tryAsync(
    () => realpath(join(root, path)),
    () => undefined,
  )
  if (!real.ok) return undefined
  if (!real.value.startsWith(`${root}${sep}`))
    return err({ why: 'the link leads out of the agent folder' })
  const read = await tryAsync(
    async () => {
      const file = await readOwnFile(await mountOf(root), real.value, maxBytes)
      if (file.kind === 'elsewhere') return err({ why: file.why, fix: file.fix })
      return file.kind === 'large'
        ? err({
            why: `it has ${file.size} bytes, and no more than ${maxBytes} are read`,
            fix: SHORTER,
          })
        : utf8Of(file.bytes)
    },
    () => ({ why: 'it cannot be read' }),
  )
  return read.ok ? read.value : read
}

function utf8Of(bytes: Uint8Array): Result<string, Problem> {
  const text = textOf(bytes)
  return text.ok ? text : err({ why: text.error, fix: 'save it as UTF-8' })
}
