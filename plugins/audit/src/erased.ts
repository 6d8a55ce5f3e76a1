import { isObject, type Json, type JsonObject, sha256 } from '@amodal/sdk'

/** The kind of the line that says which lines of a chain were emptied. */
export const ERASURE = 'erasure'

/** The key of a line whose text was taken away. */
export const erasedKey = (n: number): string => `erased:${n}`

/** Binds an erasure to the lines that it emptied: their numbers and hashes stay. */
export const digestOf = (lines: readonly { readonly n: number; readonly hash: string }[]): string =>
  sha256(lines.map(({ n, hash }) => `${n}:${hash}\n`).join(''))

/** What the line of an erasure says. */
export function erasureData(
  lines: readonly { readonly n: number; readonly hash: string }[],
): JsonObject {
  const ranges: [number, number][] = []
  for (const { n } of lines) {
    const last = ranges.at(-1)
    if (last?.[1] === n - 1) last[1] = n
    else ranges.push([n, n])
  }
  return { lines: lines.length, erased: ranges, digest: digestOf(lines) }
}

/**
 * The lines that an erasure names, and what they must come to; `undefined` where it does not say.
 */
export function readErasure(
  data: Json | undefined,
): { readonly ns: readonly number[]; readonly digest: string } | undefined {
  if (!isObject(data) || !Array.isArray(data['erased']) || typeof data['digest'] !== 'string')
    return undefined
  const ns: number[] = []
  for (const range of data['erased']) {
    if (!Array.isArray(range)) return undefined
    const [from, to] = range as readonly Json[] // of a value that is JSON
    if (typeof from !== 'number' || typeof to !== 'number') return undefined
    for (let n = from; n <= to; n++) ns.push(n)
  }
  return { ns, digest: data['digest'] }
}
