import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { WorkspacePathRefused } from '../errors.ts'

/** Limits of the file systems that are common: bytes of a name, bytes of a path. */
const MAX_NAME_BYTES = 255
const MAX_PATH_BYTES = 4_096
/** Each folder on the way is one open file handle while an operation runs. */
const MAX_DEPTH = 64

/**
 * The names of a path below the workspace; none of them is empty, `.` or `..`. The empty list is
 * the workspace itself.
 *
 * `a/../b` is refused instead of being shortened: what it names depends on whether `a` is a link.
 *
 * @example
 * parsePath('./src//main.ts') // ok(['src', 'main.ts'])
 */
export function parsePath(path: string): Result<readonly string[], Failure> {
  const refused = (why: string): Result<never, Failure> =>
    err(WorkspacePathRefused(`${JSON.stringify(path.slice(0, 200))} ${why}`))
  if (path.includes('\0')) return refused('has a NUL character')
  if (!path.isWellFormed()) return refused('is no valid Unicode')
  if (path.startsWith('/')) return refused('is absolute: use a path below the workspace')
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    return refused(`has more than ${MAX_PATH_BYTES} bytes`)
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (names.includes('..')) return refused('has `..`: use a path below the workspace')
  if (names.length > MAX_DEPTH) return refused(`has more than ${MAX_DEPTH} folders`)
  return names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)
    ? refused(`has a name of more than ${MAX_NAME_BYTES} bytes`)
    : ok(names)
}
