/**
 * A path as rules and requests are compared: no empty segments, dot segments resolved, matrix
 * parameters dropped, NFC, no case.
 *
 * @returns `undefined` where dots lead above the root
 * @example segmentsOf('/Deals;v=1//7/') // ['deals', '7']
 */
export function segmentsOf(path: string): readonly string[] | undefined {
  const resolved: string[] = []
  for (const raw of path.split('/')) {
    const segment = raw.replace(/;.*$/s, '')
    if (segment === '..') {
      if (resolved.pop() === undefined) return undefined
    } else if (segment !== '.' && segment !== '') resolved.push(plain(segment))
  }
  return resolved
}

export const plain = (text: string): string => text.normalize('NFC').toLowerCase()

/**
 * Decodes a text once and keeps characters encoded that would then look like separators.
 * `undefined`: no valid percent-encoded UTF-8.
 */
export function decodedOnce(text: string): string | undefined {
  try {
    return decodeURIComponent(text).replace(
      /[%/\\?#;]/g,
      (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
    )
  } catch {
    return undefined
  }
}

/** Segments of a connection's own path, as its address has them. */
export const baseSegments = (base: string): readonly string[] =>
  segmentsOf(
    base
      .split('/')
      .map((segment) => decodedOnce(segment) ?? segment)
      .join('/'),
  ) ?? []
