import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { RepoContentRefused } from '../errors.ts'
import { pathProblem } from './names.ts'

/** A file of a commit. */
export interface TreeFile {
  readonly path: string
  readonly object: string
  readonly size: number
  readonly executable: boolean
}

export interface TreeLimits {
  readonly maxFiles: number
  readonly maxToolBytes: number
}

const ENTRY = /^(\d{6}) (\w+) ([0-9a-f]{40,64}) +(\d+|-)\t([^]*)$/

const KINDS: Readonly<Record<string, string>> = {
  '120000': 'is a symbolic link',
  '160000': 'is a submodule',
}

/** The files that `git ls-tree -r -z -l` lists, where all of them may be written to the disk. */
export function readTree(
  listing: string,
  { maxFiles, maxToolBytes }: TreeLimits,
): Result<readonly TreeFile[], Failure> {
  const files: TreeFile[] = []
  const names = new Set<string>()
  let bytes = 0
  for (const line of listing.split('\0')) {
    if (line === '') continue
    const [, mode = '', , object = '', size = '', path = ''] = ENTRY.exec(line) ?? []
    const problem = modeProblem(mode) ?? pathProblem(path) ?? twiceProblem(names, path)
    if (problem !== undefined) return refused(`${JSON.stringify(path)} ${problem}`)
    files.push({ path, object, size: Number(size), executable: mode === '100755' })
    bytes += Number(size)
    if (files.length > maxFiles) return refused(`the folder holds more than ${maxFiles} files`)
    if (bytes > maxToolBytes) return refused(`the folder holds more than ${maxToolBytes} bytes`)
  }
  return ok(files)
}

const refused = (message: string): Result<never, Failure> => err(RepoContentRefused(message))

const modeProblem = (mode: string): string | undefined =>
  /^100(?:644|755|664)$/.test(mode) ? undefined : (KINDS[mode] ?? 'is no plain file')

/** Not even where the file system does not tell letters by their case or form. */
function twiceProblem(names: Set<string>, path: string): string | undefined {
  const name = path.normalize('NFC').toLowerCase()
  if (names.has(name)) return 'has the name of another file, but for the case of its letters'
  names.add(name)
  return undefined
}
