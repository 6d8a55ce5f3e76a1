const BLOCK = 512

/** `whole`: the entry as it stands in the archive, with its header and padding. */
export type TarEntry = { readonly path: string; readonly whole: Uint8Array } & (
  | { readonly kind: 'folder' }
  | { readonly kind: 'file'; readonly body: Uint8Array }
)

/**
 * Reads the entries of a ustar archive (POSIX.1-1988), as PGlite writes it: files and folders,
 * names up to 255 bytes. Throws on an archive that is cut off, and on a path that leads out of it.
 */
export function* tarEntries(tar: Uint8Array): Generator<TarEntry> {
  for (let at = 0; at + BLOCK <= tar.length;) {
    const header = tar.subarray(at, at + BLOCK)
    if (header[0] === 0) return
    const path = [textAt(header, 345, 155), textAt(header, 0, 100)]
      .filter(Boolean)
      .join('/')
      .replace(/^(\.?\/)+/, '')
      .replace(/\/+$/, '')
    if (path.split('/').includes('..')) throw new Error(`the archive leads out of itself: ${path}`)
    const size = Number.parseInt(textAt(header, 124, 12).trim() || '0', 8)
    const type = String.fromCharCode(header[156] ?? 0)
    const [body, next] = [at + BLOCK, at + BLOCK + Math.ceil(size / BLOCK) * BLOCK]
    if (!Number.isSafeInteger(size) || body + size > tar.length)
      throw new Error('the archive is cut off')
    const whole = tar.subarray(at, next)
    if (type === '5') yield { path, whole, kind: 'folder' }
    else if (type === '0' || type === '\0')
      yield { path, whole, kind: 'file', body: tar.subarray(body, body + size) }
    at = next
  }
}

/** The archive with those entries alone that are wanted. */
export function tarOf(entries: Iterable<TarEntry>, wanted: (path: string) => boolean): Uint8Array {
  const kept = [...entries].filter(({ path }) => wanted(path)).map(({ whole }) => whole)
  return Buffer.concat([...kept, new Uint8Array(2 * BLOCK)])
}

function textAt(header: Uint8Array, offset: number, length: number): string {
  const field = header.subarray(offset, offset + length)
  const end = field.indexOf(0)
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end))
}
