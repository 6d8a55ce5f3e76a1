import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'

/** Supported content encodings, by the names that requests give them. */
const FORMATS: Readonly<Record<string, CompressionFormat>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
}

/** The decoder for the body of a request; `undefined` if the body is not encoded. */
export function decoderOf(
  headers: Headers,
): Result<TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> | undefined, Failure> {
  const encoding = (headers.get('content-encoding') ?? '').trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return ok(undefined)
  const format = FORMATS[encoding]
  if (format === undefined)
    return err(
      failure(
        'UNSUPPORTED_MEDIA',
        'content-encoding: only gzip and deflate are decoded; send the body as one of them, or not encoded',
      ),
    )
  const { readable, writable } = new DecompressionStream(format)
  return ok({ readable, writable })
}
