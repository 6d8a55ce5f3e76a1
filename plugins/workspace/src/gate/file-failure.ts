import { messageOf, type Failure } from '@amodal/sdk'
import {
  WorkspaceFileMissing,
  WorkspaceFileRefused,
  WorkspacePathRefused,
  WorkspaceStorageFailed,
} from '../errors.ts'
import { UnsafePath } from './opened-folder.ts'

/** The operation does not fit the entry that is at the path. */
export class RefusedFile extends Error {
  override readonly name = 'RefusedFile'
}

/** Errors of the operating system that the caller of a tool can do something about. */
const REFUSALS: Readonly<Record<string, string>> = {
  ENOTDIR: 'is no folder, or passes through a file',
  EISDIR: 'is a folder',
  EEXIST: 'exists already',
  ENOTEMPTY: 'is a folder that is not empty',
  EINVAL: 'does not allow this operation',
}

/** @param verb what was to be done: `read`, `written` */
export function fileFailure(path: string, verb: string, cause: unknown): Failure {
  const shown = JSON.stringify(path)
  if (cause instanceof UnsafePath)
    return WorkspacePathRefused(`${shown} cannot be ${verb}: a part of it ${cause.message}`)
  if (cause instanceof RefusedFile)
    return WorkspaceFileRefused(`${shown} cannot be ${verb}: it ${cause.message}`)
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code === 'ENOENT')
    return WorkspaceFileMissing(`${shown} cannot be ${verb}: the workspace has no such entry`)
  const refusal = REFUSALS[code]
  return refusal === undefined
    ? WorkspaceStorageFailed(`${shown} cannot be ${verb}: ${code || messageOf(cause)}`, { cause })
    : WorkspaceFileRefused(`${shown} cannot be ${verb}: it ${refusal}`)
}
