import { err, ok, type AssetRef, type Result } from '@amodal/kernel'
import type { AssetInput } from '../ports/asset-store.ts'

/** Headers with credentials: what is stored of a request has none of them. */
const PRIVATE: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-api-key',
])

/** The headers of a new session's request, for plugins that say whose session it is. */
export const publicHeaders = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries([...headers].filter(([name]) => !PRIVATE.has(name)))

const DATA_URL = /^data:([^;,]{0,100})(?:;[^;,]{1,100})*;base64,/
const KEPT_URL = /^(?:https?:\/\/[^/?#]{1,300})?\/assets\/([0-9a-f]{64})$/

/**
 * A file attached to a message by its URL: that of a stored file, or a data URL. Nothing is
 * fetched.
 *
 * @param mediaType if it is given with the URL
 * @returns the file, or what is wrong with the URL
 */
export function fileOfUrl(
  url: string,
  { mediaType, name }: { readonly mediaType?: string; readonly name?: string } = {},
): Result<AssetInput, string> {
  const named = name === undefined ? {} : { name }
  const [, asset] = KEPT_URL.exec(url.slice(0, 500)) ?? []
  if (asset !== undefined) return ok({ asset, ...named })
  const [head, type = ''] = DATA_URL.exec(url.slice(0, 500)) ?? []
  if (head === undefined)
    return err(
      'must be the URL of an uploaded file (/assets/ID) or a data URL with base64 (data:image/png;base64,…); nothing is fetched',
    )
  return ok({ data: url.slice(head.length), mediaType: type || (mediaType ?? ''), ...named })
}

/** Where clients get a file: its bytes as a data URL in journals that still have them. */
export const assetUrl = ({ asset, mediaType, data }: AssetRef): string =>
  data === undefined ? `/assets/${asset}` : `data:${mediaType};base64,${data}`

/**
 * What is wrong with the newest of a client's `messages` after its parts were read; `undefined`:
 * nothing.
 *
 * @param says whether it has content other than text and files
 */
export function messageProblem(
  { text, assets }: { readonly text: string; readonly assets: readonly AssetInput[] },
  maxMessageChars: number,
  says = false,
): string | undefined {
  if (text.length > maxMessageChars)
    return `messages: at most ${maxMessageChars} characters of text`
  return text.trim() === '' && assets.length === 0 && !says
    ? 'messages: the last one has no text'
    : undefined
}
