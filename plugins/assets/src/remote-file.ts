import {
  err,
  failure,
  ok,
  type AssetUpload,
  type Failure,
  type Outbound,
  type Result,
} from '@amodal/sdk'
import { isTextType } from '@amodal/sdk/loop'
import { plainType } from './content-type.ts'
import { AssetNotFetched, AssetTooLarge } from './errors.ts'
import type { AssetSettings } from './settings.ts'

/** A file that is to be fetched. */
export interface RemoteFile {
  readonly url: string
  /** Default: the last part of the path of the URL. */
  readonly name?: string
}

/**
 * Fetches a file for somebody who named its address, through the way out that checks addresses and
 * redirects. Neither the address nor a redirect of it is stored: both may hold a secret.
 *
 * @param outbound `undefined` where no plugin provides a way out
 * @returns the upload, `ASSET_TOO_LARGE`, `ASSET_NOT_FETCHED`, or the failure of the way out
 *   (`OUTBOUND_REFUSED`, `OUTBOUND_FAILED`, `TIMEOUT`)
 */
export async function fetchRemoteFile(
  { url, name }: RemoteFile,
  outbound: Outbound | undefined,
  { byUrl, urlTimeoutMs, maxFileBytes }: AssetSettings,
  signal: AbortSignal,
): Promise<Result<AssetUpload, Failure>> {
  const parsed = URL.parse(url)
  if (!parsed) return err(failure('VALIDATION_ERROR', 'url: must be a URL, with https://'))
  if (!byUrl || !outbound)
    return err(
      failure('OUTBOUND_REFUSED', 'files are not fetched by their address here', {
        fix: byUrl
          ? 'upload the file itself, or add the plugin `outbound`'
          : 'upload the file itself, or set `byUrl` of the plugin `assets`',
      }),
    )
  const response = await outbound.request({
    url: parsed.href,
    method: 'GET',
    headers: { accept: '*/*', 'user-agent': 'amodal (assets)' },
    timeoutMs: urlTimeoutMs,
    maxBytes: maxFileBytes,
    lease: undefined,
    signal,
  })
  if (!response.ok)
    return err(
      response.error.code === 'TOO_LARGE'
        ? AssetTooLarge(`a file has at most ${maxFileBytes} bytes (maxFileBytes)`)
        : response.error,
    )
  const { status, headers, body } = response.value
  if (status !== 200) return err(AssetNotFetched(`${parsed.host} answered ${status}`))
  // Servers often declare a wrong type, so only the choice among types of text is theirs.
  const declared = plainType(headers['content-type'] ?? '')
  return ok({
    body: chunks(body),
    ...(isTextType(declared) && { mediaType: declared }),
    name: name ?? nameIn(parsed),
  })
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The last part of a path, with its percent codes decoded where they are valid. */
function nameIn({ pathname }: URL): string {
  const last = pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}
