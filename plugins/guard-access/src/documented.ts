import type { AccessRule, ApiDocument, ApiEndpoint, Connection } from '@amodal/sdk'
import { nameKey, baseSegments } from '@amodal/sdk/connections'
import { didYouMean } from '@amodal/sdk/files'

type Operation = Pick<AccessRule, 'method' | 'path'>

/** What an API document says of names in `access.json`. */
export class Documented {
  readonly #document: ApiDocument
  readonly #bases: readonly (readonly string[])[]
  readonly #schemas: ReadonlyMap<string, readonly string[]>

  constructor(document: ApiDocument, { rest }: Connection) {
    this.#document = document
    const address = URL.parse(rest?.baseUrl ?? '')?.pathname ?? ''
    this.#bases = [[], baseSegments(address), baseSegments(document.basePath ?? '')]
    this.#schemas = new Map(schemasOf(document))
  }

  /** Where it was read from. */
  get from(): string {
    return this.#document.from
  }

  /** Whether a rule covers an operation of the document, or is about any. */
  hasOperation({ method, path }: Operation): boolean {
    const ofMethod = this.#ofMethod(method)
    if (method === 'QUERY' || method === 'MUTATION')
      return path === '*' || ofMethod.some((one) => one.path === path)
    const rule = segmentsOf(path)
    return ofMethod.some((endpoint) => {
      const own = segmentsOf(endpoint.path.replace(/[?#].*$/s, ''))
      return this.#bases.some((base) => covers(rule, [...base, ...own]))
    })
  }

  /** The operation that was probably meant. */
  nearestOperation({ method, path }: Operation): string | undefined {
    const paths = this.#ofMethod(method).map((one) => one.path)
    const meant = didYouMean(path, paths)
    return meant === undefined ? undefined : `${method} ${meant}`
  }

  /** The fields of an entity; `undefined` where the document does not list them. */
  fieldsOf(entity: string): readonly string[] | undefined {
    return this.#schemas.get(keyOf(entity))
  }

  /** The fields of all entities. */
  get fields(): readonly string[] {
    return [...new Set([...this.#schemas.values()].flat())]
  }

  get entities(): readonly string[] {
    return schemasOf(this.#document, (name) => name).map(([name]) => name)
  }

  /** Parameters of the query of what a rule covers. */
  queryOf(rule: Operation): readonly string[] {
    return this.#document.endpoints
      .filter((endpoint) => covers(segmentsOf(rule.path), segmentsOf(endpoint.path)))
      .flatMap(({ parameters }) =>
        parameters.flatMap((one) => (one.in === 'query' ? one.name : [])),
      )
  }

  #ofMethod(method: string): readonly ApiEndpoint[] {
    return this.#document.endpoints.filter(
      (one) =>
        method === '*' || one.method === method || (method === 'HEAD' && one.method === 'GET'),
    )
  }
}

/** As names of fields and entities are compared: `invoice_lines` is `InvoiceLine`. */
export const keyOf = (name: string): string =>
  nameKey(name)
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replace(/(?<=[^s])s$/, '')

function schemasOf(
  { schemas = {}, types = {} }: ApiDocument,
  named = keyOf,
): readonly (readonly [string, readonly string[]])[] {
  const ofGraphql = Object.entries(types).flatMap(([name, text]) => {
    const isComplete = text.startsWith('{') && !text.includes('…')
    const fields = [...text.matchAll(/(?:^\{|,) ?([_A-Za-z]\w*)[(:]/g)].map(
      ([, field = '']) => field,
    )
    return isComplete && fields.length > 0 ? [[named(name), fields] as const] : []
  })
  return [
    ...Object.entries(schemas).map(([name, fields]) => [named(name), fields] as const),
    ...ofGraphql,
  ]
}

const segmentsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => segment.normalize('NFC').toLowerCase())

const isOpen = (segment: string): boolean => /[{*]/.test(segment)

/** Whether some request fits both; a last parameter of a document may be several segments. */
function covers(
  [first, ...rule]: readonly string[],
  [segment, ...path]: readonly string[],
): boolean {
  if (first === '**') return true
  if (first === undefined || segment === undefined) return first === segment
  if (!isOpen(first) && !isOpen(segment) && first !== segment) return false
  return (isOpen(segment) && path.length === 0 && rule.length > 0) || covers(rule, path)
}
