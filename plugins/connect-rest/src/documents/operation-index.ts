import type { ApiDocument, ApiEndpoint } from '@amodal/sdk'

interface Entry {
  readonly endpoint: ApiEndpoint
  readonly segments: readonly Segment[]
  /** What stands behind `#`, which tells apart operations that share a path. */
  readonly fragment: string | undefined
}
type Segment = { readonly literal: string } | { readonly pattern: RegExp }

/** Operations of a document by the paths of requests. */
export class OperationIndex {
  readonly #entries = new Map<string, Entry[]>()
  readonly #basePath: readonly string[]

  constructor({ endpoints, basePath = '' }: Pick<ApiDocument, 'endpoints' | 'basePath'>) {
    this.#basePath = segmentsOf(basePath)
    for (const endpoint of endpoints) {
      if (!endpoint.path.startsWith('/')) continue // a field of GraphQL
      const [, path = '', , fragment] = /^([^?#]*)(\?[^#]*)?(?:#(.*))?$/s.exec(endpoint.path) ?? []
      const segments = segmentsOf(path).map(segmentOf)
      const key = `${endpoint.method} ${segments.length}`
      const list = this.#entries.get(key) ?? []
      list.push({ endpoint, segments, fragment })
      this.#entries.set(key, list)
    }
  }

  /**
   * The operations that a request may be: those with the most fixed segments. Several where they
   * share a path.
   *
   * @param path canonical, with the base path of the connection
   * @param base that base path
   */
  at(
    method: string,
    path: string,
    base: string,
  ): readonly { readonly endpoint: ApiEndpoint; readonly fragment: string | undefined }[] {
    const whole = segmentsOf(path)
    const root = segmentsOf(base)
    const below = root.every((segment, at) => same(segment, whole[at]))
      ? whole.slice(root.length)
      : whole
    const server =
      this.#basePath.length > 0 && this.#basePath.every((segment, at) => same(segment, whole[at]))
        ? whole.slice(this.#basePath.length)
        : undefined
    for (const one of [below, whole, ...(server ? [server] : [])]) {
      const found = this.#matching(method, one)
      if (found.length > 0) return found
    }
    return []
  }

  #matching(method: string, path: readonly string[]): readonly Entry[] {
    let best: Entry[] = []
    let most = -1
    for (const entry of this.#entries.get(`${method} ${path.length}`) ?? []) {
      if (!entry.segments.every((segment, at) => fits(segment, path[at] ?? ''))) continue
      const literal = entry.segments.filter((segment) => 'literal' in segment).length
      if (literal > most) [best, most] = [[], literal]
      if (literal === most) best.push(entry)
    }
    return best
  }
}

const indexes = new WeakMap<ApiDocument, OperationIndex>()

/** Made once for each document that was read. */
export function operationsOf(document: ApiDocument): OperationIndex {
  const index = indexes.get(document) ?? new OperationIndex(document)
  indexes.set(document, index)
  return index
}

const segmentsOf = (path: string): readonly string[] =>
  path.split('/').filter((segment) => segment !== '')
const same = (one: string, other: string | undefined): boolean =>
  other !== undefined && one.toLowerCase() === other.toLowerCase()
const fits = (segment: Segment, text: string): boolean =>
  'literal' in segment ? same(segment.literal, text) : segment.pattern.test(text)

/** `{id}`, or a part of a segment with fixed text around it: `{id}.json`, `{id}:cancel`. */
function segmentOf(segment: string): Segment {
  if (!segment.includes('{')) return { literal: decoded(segment) }
  const parts = segment
    .split(/\{[^{}]*\}/)
    .map((text) => decoded(text).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return { pattern: new RegExp(`^${parts.join('.+')}$`, 'isu') }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text).normalize('NFC')
  } catch {
    return text
  }
}
