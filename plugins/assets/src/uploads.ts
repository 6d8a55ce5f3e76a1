import { err, failure, ok, type AssetUpload, type Failure, type Result } from '@amodal/sdk'
import { unreadBody } from '@amodal/plugin-http/tokens'

/** The files of a request: its body is one, or a form that has some. */
export async function uploadsOf(
  request: Request,
  most: number,
): Promise<Result<readonly AssetUpload[], Failure>> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\b/i.test(type)) {
    const upload = rawUpload(request, type)
    return upload.ok ? ok([upload.value]) : upload
  }
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
    files.map((file) => ({ body: file.stream(), mediaType: file.type, ...named(file.name) })),
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

const named = (name: string | null) => (name ? { name } : {})

const SHA256 = /^[0-9a-f]{64}$/i

/**
 * The SHA-256 that the client says: `?sha256=` in hexadecimal digits, or a digest of RFC 9530 in a
 * header.
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
