import { createHash } from 'node:crypto'
import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { err, failure, messageOf, ok, type Failure, type Result } from '@amodal/sdk'
import { compare, mountOf, readOwnFile } from '@amodal/sdk/files'

/**
 * Installed, made or kept by other programs; what is installed shows in package.json and its lock
 * file.
 */
const NOT_OURS: readonly string[] = ['node_modules', '.venv', '__pycache__', '.git']
const MOST_FILES = 2_000
const MOST_BYTES = 64_000_000

/**
 * Where a handler's code is: its folder or file, and what all handlers share (`tools/_…`).
 */
export interface Sources {
  readonly root: string
  readonly paths: readonly string[]
}

/**
 * SHA-256 over paths and bytes of all code of a handler.
 *
 * @returns the digest, or why there is none: links, hard links and mounts are refused, since they
 *   could lead to files that are not hashed
 */
export async function digestOf({ root, paths }: Sources): Promise<Result<string, Failure>> {
  const hash = createHash('sha256')
  let files = 0
  let bytes = 0
  try {
    const mounted = await mountOf(root)
    for (const path of [...paths].sort(compare)) {
      if ((await realpath(join(root, path))) !== join(root, path))
        throw new Error(`${path} is a link`)
      for await (const file of filesBelow(root, path)) {
        const read = await readOwnFile(mounted, join(root, file), MOST_BYTES)
        if (read.kind === 'elsewhere') throw new Error(`${file}: ${read.why}`)
        if (read.kind === 'large')
          throw new Error(`${file} has ${read.size} bytes, more than ${MOST_BYTES}`)
        const content = read.bytes
        bytes += content.length
        if (++files > MOST_FILES || bytes > MOST_BYTES)
          throw new Error(`there are more than ${MOST_FILES} files or ${MOST_BYTES} bytes`)
        hash.update(`${file.length}:${file}${content.length}:`).update(content)
      }
    }
    return ok(hash.digest('hex'))
  } catch (cause) {
    return err(failure('UNREADABLE', `its files cannot be read: ${messageOf(cause)}`, { cause }))
  }
}

async function* filesBelow(root: string, path: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch(
    (cause: unknown) => {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOTDIR') return undefined
      throw cause
    },
  )
  if (!entries) yield path
  for (const entry of [...(entries ?? [])].sort((a, b) => compare(a.name, b.name))) {
    if (NOT_OURS.includes(entry.name)) continue
    const below = `${path}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(root, below)
    else if (entry.isFile()) yield below
    else throw new Error(`${below} is a link, or no file`)
  }
}
