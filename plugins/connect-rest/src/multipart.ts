import { createHash } from 'node:crypto'
import { err, isObject, type Json, ok, type Result } from '@amodal/sdk'
import { bytesOf, typeOfDataUrl } from './base64.ts'

/** One part of a multipart body. */
export interface Part {
  readonly name: string
  readonly bytes: Uint8Array
  readonly filename?: string
  readonly contentType?: string
}

export interface GivenFile {
  readonly bytes: Uint8Array
  readonly filename?: string
  readonly contentType?: string
}

const FILE_FIELDS: ReadonlySet<string> = new Set(['base64', 'text', 'filename', 'content_type'])
const TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w-]+=[\w.:+-]+)*$/

/**
 * A file as a caller passes it: `{ base64, filename?, content_type? }`, or `text` in place of
 * `base64`.
 *
 * @returns `undefined` where it is no file, but an object or a value like any other
 */
export function fileIn(value: Json): Result<GivenFile, string> | undefined {
  if (!isObject(value)) return undefined
  const { base64, text, filename, content_type: type } = value
  if (
    (typeof base64 === 'string') === (typeof text === 'string') ||
    !Object.keys(value).every((name) => FILE_FIELDS.has(name))
  )
    return undefined
  if (filename !== undefined && (typeof filename !== 'string' || /[\p{Cc}/\\]/u.test(filename)))
    return err('`filename` is a name, without a folder')
  if (type !== undefined && (typeof type !== 'string' || !TYPE.test(type)))
    return err('`content_type` is a media type, such as image/png')
  const bytes =
    typeof base64 === 'string'
      ? bytesOf(base64)
      : ok(new Uint8Array(Buffer.from(typeof text === 'string' ? text : '')))
  if (!bytes.ok) return bytes
  const contentType =
    type ?? (typeof base64 === 'string' ? typeOfDataUrl(base64) : 'text/plain; charset=utf-8')
  return ok({
    bytes: bytes.value,
    ...(typeof filename === 'string' && { filename }),
    ...(contentType !== undefined && { contentType }),
  })
}

/**
 * A multipart body. The same parts give the same bytes, so that a retry sends what was sent before.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7578
 */
export function multipartOf(
  parts: readonly Part[],
  type: string,
): { readonly body: Uint8Array; readonly contentType: string } {
  const heads = parts.map(({ name, filename, contentType }) =>
    [
      `Content-Disposition: ${type === 'multipart/form-data' ? 'form-data' : 'attachment'}; name="${quoted(name)}"${filename === undefined ? '' : `; filename="${quoted(filename)}"`}`,
      ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
    ].join('\r\n'),
  )
  const boundary = boundaryOf(parts, heads)
  const chunks = parts.flatMap(({ bytes }, index) => [
    Buffer.from(`--${boundary}\r\n${heads[index] ?? ''}\r\n\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ])
  return {
    body: new Uint8Array(Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])),
    contentType: `${type}; boundary=${boundary}`,
  }
}

/** What no part holds: a hash of all of them. */
function boundaryOf(parts: readonly Part[], heads: readonly string[]): string {
  const hash = createHash('sha256')
  for (const [index, { bytes }] of parts.entries())
    hash.update(`${heads[index] ?? ''}\n${bytes.byteLength}\n`).update(bytes)
  return `amodal-${hash.digest('hex').slice(0, 40)}`
}

/** As browsers write it (HTML, "multipart/form-data encoding algorithm"). */
const quoted = (text: string): string =>
  text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
