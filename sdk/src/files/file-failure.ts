import { existsSync } from 'node:fs'
import { messageOf, type Failure } from '@amodal/kernel'
import { failure } from '../errors.ts'

const DENIED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS'])

/**
 * Why a file that the server keeps for itself cannot be used: `NOT_WRITABLE` where it has to be
 * made first and may not be, else `UNREADABLE`.
 *
 * @param subject what the sentence is about, such as `the file of the master key, /agent/key,`
 * @param path absolute path of the file
 * @param cause the error of the file system
 * @example
 * fileFailure('the lock of the database', '/agent/.amodal/lock', cause)
 * // NOT_WRITABLE: the lock of the database cannot be created: EROFS: read-only file system, …
 */
export function fileFailure(subject: string, path: string, cause: unknown): Failure {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const isMissing = DENIED.has(code) && !existsSync(path)
  return isMissing
    ? failure('NOT_WRITABLE', `${subject} cannot be created: ${messageOf(cause)}`, {
        details: { file: path },
        cause,
      })
    : failure('UNREADABLE', `${subject} cannot be used: ${messageOf(cause)}`, {
        details: { file: path },
        cause,
      })
}
