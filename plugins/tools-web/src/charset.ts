/** Bytes of a page that may say how it is written. */
const HEAD = 2_048

/**
 * Decodes a response by its byte order mark, its header or the page's own declaration, else as
 * UTF-8. An unknown encoding is read as UTF-8.
 *
 * @see https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding
 */
export function decode(body: Uint8Array, contentType: string): string {
  const named = /charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType)?.[1]
  const head = new TextDecoder('latin1').decode(body.subarray(0, HEAD))
  const said =
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w:.-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]{0,100}encoding\s*=\s*["']([\w:.-]+)/i.exec(head)?.[1]
  for (const label of [markOf(body), named, said]) {
    if (label === undefined) continue
    try {
      return new TextDecoder(label).decode(body)
    } catch {
      // The next one may be known.
    }
  }
  return new TextDecoder().decode(body)
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}
