import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { SessionRef } from '@amodal/sdk'

/** What a file of a session ends with. */
export const EXTENSION = '.jsonl.gz'
/** Folder of files that are being written. No tenant's: their names have no dot. */
export const DRAFTS = '.drafts'

const LONGEST = 120
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i

/**
 * A name that is one on every file system: letters, digits, `_` and `-` stay, everything else is
 * `%` and its code. A long one is cut, and told apart by a hash.
 */
export function safeName(id: string): string {
  const escaped = [...Buffer.from(id)].map(escapedByte).join('')
  const name = RESERVED.test(escaped) ? `%${escaped}` : escaped
  if (name.length <= LONGEST) return name
  return `${name.slice(0, LONGEST)}%${createHash('sha256').update(id).digest('hex').slice(0, 16)}`
}

function escapedByte(byte: number): string {
  const letter = String.fromCodePoint(byte)
  return /[A-Za-z0-9_-]/.test(letter)
    ? letter
    : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`
}

/**
 * Path of a session's file below the folder of the archive, with `/`.
 *
 * @param lastActive ms since the epoch: of the day (UTC) on which it was last active, so that
 *   archiving it again finds the same file
 */
export function placeOf({ tenant, session }: SessionRef, lastActive: number): string {
  const day = new Date(lastActive).toISOString().slice(0, 10).replaceAll('-', '/')
  return `${safeName(tenant)}/${day}/${safeName(session)}${EXTENSION}`
}

/** The path on this machine. */
export const pathOf = (folder: string, place: string): string => join(folder, ...place.split('/'))
