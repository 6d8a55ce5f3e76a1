import { textStart } from '@amodal/sdk/data'

/** Maximum characters of a file name. */
const MOST_NAME = 100

/**
 * Headers of a download: no browser displays or runs the file on the origin of this server.
 *
 * @param name as a person reads it; any text will do
 * @param type with its charset, where it has one
 */
export const fileHeaders = (name: string, type: string): Readonly<Record<string, string>> => ({
  'content-type': type,
  'content-disposition': dispositionOf(name),
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
})

/** @see https://www.rfc-editor.org/rfc/rfc6266 */
function dispositionOf(name: string): string {
  const [, title = name, ending = ''] = /^(.*)(\.\w{1,10})$/s.exec(name) ?? []
  const clean = title.replace(/[\p{C}\s/\\:*?"<>|]+/gu, ' ').trim()
  const short = textStart(clean, MOST_NAME) || 'file'
  const ascii = short.replace(/[^\x20-\x7e]+/g, '_').replace(/[%']/g, '_')
  const extended = encodeURIComponent(short).replace(/['()*]/g, encodeChar)
  return `attachment; filename="${ascii}${ending}"; filename*=UTF-8''${extended}${ending}`
}

const encodeChar = (char: string): string =>
  `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
