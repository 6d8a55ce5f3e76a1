import { createHash } from 'node:crypto'
import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { textEnd, textStart } from '@amodal/sdk/data'
import { WorkspaceEditRefused, WorkspaceFileRefused } from '../errors.ts'

/** Characters that a result has at most. */
export const OUTPUT_CHARS = 50_000
/** Bytes of a file that a tool reads at most. */
export const FILE_BYTES = 8 * 1_048_576

const HASH_CHARS = 12

/** Stands for the content of a file, to find out whether it has changed. */
export const hashOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex').slice(0, HASH_CHARS)

/** The text of a file with its byte order mark, so that writing it back changes nothing. */
export function decoded(path: string, bytes: Uint8Array): Result<string, Failure> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (!text.includes('\0')) return ok(text)
  } catch {
    // Not UTF-8: refused below.
  }
  return err(
    WorkspaceFileRefused(`${JSON.stringify(path)} is no UTF-8 text (${bytes.length} bytes)`),
  )
}

export const encoded = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Refuses a change of a file that is no longer as the model has read it. */
export function unchanged(
  path: string,
  bytes: Uint8Array,
  hash: string | null | undefined,
): Result<void, Failure> {
  const current = hashOf(bytes)
  return hash == null || hash === current
    ? ok(undefined)
    : err(
        WorkspaceEditRefused(
          `${JSON.stringify(path)} has changed since it was read: its hash is ${current}, not ${hash}`,
        ),
      )
}

/** Head and tail of a text, with a note of what is missing between them. */
export function headAndTail(text: string, chars: number = OUTPUT_CHARS): string {
  if (text.length <= chars) return text
  const half = Math.floor(chars / 2)
  const head = textStart(text, half)
  const tail = textEnd(text, half)
  return `${head}\n… ${text.length - head.length - tail.length} characters are not shown …\n${tail}`
}
