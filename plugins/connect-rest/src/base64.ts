import { err, ok, type Result } from '@amodal/sdk'

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * The bytes that base64 stands for; line breaks, the letters of URLs and a `data:` address are
 * understood.
 */
export function bytesOf(text: string): Result<Uint8Array, string> {
  const plain = text
    .replace(/^data:[^,]{0,200};base64,/i, '')
    .replace(/\s+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  const padded = plain.padEnd(Math.ceil(plain.length / 4) * 4, '=')
  return BASE64.test(padded)
    ? ok(new Uint8Array(Buffer.from(padded, 'base64')))
    : err('this is no base64: pass the bytes as base64, or a text as { "text": "…" }')
}

/** What a `data:` address says that it is. */
export const typeOfDataUrl = (text: string): string | undefined =>
  /^data:([\w.+-]+\/[\w.+-]+)[;,]/i.exec(text)?.[1]?.toLowerCase()
