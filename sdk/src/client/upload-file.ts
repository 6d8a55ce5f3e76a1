import type { HttpTransport } from './http-transport.ts'
import { ClientError, type UploadedFile } from './types.ts'

export interface UploadOptions {
  readonly name?: string
  /** Its type, where that is not known of the file itself. */
  readonly type?: string
  readonly signal?: AbortSignal
}

/** Uploads a file with its hash, so that the server sees whether it came as it is. */
export async function uploadFile(
  transport: HttpTransport,
  file: Blob | Uint8Array<ArrayBuffer>,
  { name, type, signal }: UploadOptions = {},
): Promise<UploadedFile> {
  const blob = file instanceof Blob ? file : new Blob([file])
  const called = name ?? (blob instanceof File ? blob.name : undefined)
  const hash = await sha256(blob)
  const query = new URLSearchParams({
    ...(called !== undefined && { name: called }),
    ...(hash !== undefined && { sha256: hash }),
  })
  const { assets } = await transport.json<{ readonly assets: readonly UploadedFile[] }>(
    `/assets?${query.toString()}`,
    {
      method: 'POST',
      file: blob,
      headers: { 'content-type': type || blob.type || 'application/octet-stream' },
      signal,
    },
  )
  return onlyOne(assets)
}

/** Lets the server fetch a file by its address. */
export async function uploadFrom(
  transport: HttpTransport,
  url: string,
  { name, signal }: Omit<UploadOptions, 'type'> = {},
): Promise<UploadedFile> {
  const { assets } = await transport.json<{ readonly assets: readonly UploadedFile[] }>('/assets', {
    method: 'POST',
    body: { url, ...(name !== undefined && { name }) },
    signal,
  })
  return onlyOne(assets)
}

function onlyOne([asset]: readonly UploadedFile[]): UploadedFile {
  if (!asset) throw new ClientError('INTERNAL', 'the server stored no file', undefined)
  return asset
}

/** `undefined` on pages that have no cryptography, since they came without TLS. */
async function sha256(blob: Blob): Promise<string | undefined> {
  const { subtle } = crypto as { readonly subtle?: SubtleCrypto } // missing there
  const digest = await subtle?.digest('SHA-256', await blob.arrayBuffer())
  return (
    digest && [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  )
}
