import { err, failure, ok, type AssetUpload, type Failure, type Result } from '@amodal/sdk'
import { unreadBody } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { plainType } from './content-type.ts'
import type { RemoteFile } from './remote-file.ts'

/** One file of a request: its bytes, or the address that it is to be fetched from. */
export type RequestedFile = { readonly upload: AssetUpload } | { readonly remote: RemoteFile }

/**
 * The files of a request. Its body is one, or a form that has several, or JSON with the `url` of
 * one.
 */
export async function uploadsOf(
  request: Request,
  most: number,
): Promise<Result<readonly RequestedFile[], Failure>> {
  const type = request.headers.get('content-type') ?? ''
  if (/^multipart\/form-data\b/i.test(type)) return formUploads(request, most)
  const upload = rawUpload(request, type)
  if (!upload.ok) return upload
  if (plainType(type) !== 'application/json' || isDeclaredFile(request, upload.value))
    return ok([{ upload: upload.value }])
  const file = await jsonFile(upload.value)
  return file.ok ? ok([file.value]) : file
}

async function formUploads(
  request: Request,
  most: number,
): Promise<Result<readonly RequestedFile[], Failure>> {
  let form: FormData
  try {
    form = await request.formData()
  } catch (cause) {
    return err(unreadBody(cause))
  }
  const files = [...form.values()].filter((value) => typeof value !== 'string')
  if (files.length === 0)
    return err(failure('VALIDATION_ERROR', 'the form has no file: send one as the field `file`'))
  if (files.length > most)
    return err(failure('VALIDATION_ERROR', `the form has more than ${most} files`))
  return ok(
    files.map((file) => ({
      upload: { body: file.stream(), mediaType: file.type, ...named(file.name) },
    })),
  )
}

function rawUpload(request: Request, mediaType: string): Result<AssetUpload, Failure> {
  const { searchParams } = new URL(request.url)
  const hash = hashOf(request.headers, searchParams.get('sha256'))
  if (!hash.ok) return hash
  if (request.body === null)
    return err(failure('VALIDATION_ERROR', 'the file is empty: it has no bytes'))
  return ok({
    body: request.body,
    mediaType,
    ...named(searchParams.get('name')),
    ...(hash.value !== undefined && { hash: hash.value }),
  })
}

/** A body with a name or a hash in the request is the file itself, whatever stands in it. */
const isDeclaredFile = ({ url }: Request, { hash }: AssetUpload): boolean =>
  hash !== undefined || new URL(url).searchParams.has('name')

/** Bytes of a body that may be an address. */
const ADDRESS_BYTES = 16_384
/** A file by its address. */
export const Address = z.strictObject({
  url: z.string(),
  name: z.string().max(500).exactOptional(),
})

/** JSON that has a `url` and at most a `name` is the address of a file; any other is a file. */
async function jsonFile(upload: AssetUpload): Promise<Result<RequestedFile, Failure>> {
  const body = upload.body[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    while (length <= ADDRESS_BYTES) {
      const next = await body.next()
      if (next.done === true) {
        const address = Address.safeParse(parsed(Buffer.concat(chunks)))
        return ok(
          address.success
            ? { remote: address.data }
            : { upload: { ...upload, body: rest(chunks) } },
        )
      }
      chunks.push(next.value)
      length += next.value.byteLength
    }
  } catch (cause) {
    return err(unreadBody(cause))
  }
  return ok({ upload: { ...upload, body: rest(chunks, body) } })
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

async function* rest(
  chunks: readonly Uint8Array[],
  body?: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* chunks
  if (!body) return
  try {
    for (let next = await body.next(); next.done !== true; next = await body.next())
      yield next.value
  } finally {
    await body.return?.() // ends the request where its file is too large
  }
}

const named = (name: string | null) => (name ? { name } : {})

const SHA256 = /^[0-9a-f]{64}$/i

/**
 * The SHA-256 that the client declares: `?sha256=` in hexadecimal digits, or a digest of RFC 9530
 * in a header.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9530
 */
function hashOf(headers: Headers, query: string | null): Result<string | undefined, Failure> {
  if (query !== null)
    return SHA256.test(query)
      ? ok(query)
      : err(failure('VALIDATION_ERROR', 'sha256: must be 64 hexadecimal digits'))
  const digest = headers.get('repr-digest') ?? headers.get('content-digest') ?? ''
  const [, base64] = /(?:^|[,\s])sha-256=:([A-Za-z0-9+/]{43}=):/i.exec(digest) ?? []
  return ok(base64 && Buffer.from(base64, 'base64').toString('hex'))
}
