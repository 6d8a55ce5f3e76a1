import { err, failure, messageOf, ok, type Failure, type Result } from '@amodal/sdk'
import { createHash } from 'node:crypto'
import { AssetTooLarge } from './errors.ts'

/** A file that was read to its end. */
export interface Incoming {
  readonly bytes: Uint8Array
  /** SHA-256, in hexadecimal digits. */
  readonly hash: string
}

/** Reads a file; one that has more bytes than are taken is not read any further. */
export async function readIncoming(
  body: AsyncIterable<Uint8Array>,
  most: number,
  signal: AbortSignal,
): Promise<Result<Incoming, Failure>> {
  const hash = createHash('sha256')
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      if (signal.aborted) return err(failure('CANCELLED', 'the upload was given up'))
      length += chunk.byteLength
      if (length > most)
        return err(AssetTooLarge(`a file has at most ${most} bytes (maxFileBytes)`))
      hash.update(chunk)
      chunks.push(chunk)
    }
  } catch (cause) {
    return err(
      failure('VALIDATION_ERROR', `the file did not come to its end: ${messageOf(cause)}`, {
        cause,
      }),
    )
  }
  if (length === 0) return err(failure('VALIDATION_ERROR', 'the file is empty: it has no bytes'))
  return ok({ bytes: Buffer.concat(chunks, length), hash: hash.digest('hex') })
}
