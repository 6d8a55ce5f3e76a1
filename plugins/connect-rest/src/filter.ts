import type { Action, ApiDocument, ApiEndpoint, Connection, RestSpec } from '@amodal/sdk'
import { withEndpoints } from '@amodal/sdk/connections'
import { surfaceWithout } from '@amodal/sdk/files'
import picomatch from 'picomatch'
import { httpMethodOf } from './action.ts'
import { readingsOf, resolved } from './canonical.ts'
import { operationsOf } from './documents/operation-index.ts'
import { readOperations } from './graphql-operations.ts'

type FilterSpec = RestSpec['filter']

/** Whether a connection has a filter at all. */
export const hasFilter = ({ tags, includePaths, excludePaths }: FilterSpec): boolean =>
  tags.length + includePaths.length + excludePaths.length > 0

/** Names that are looked up in every schema, and say nothing of what it holds. */
const TYPE_NAME = '__typename'

/** What the `filter` of a connection lets through: what it leaves out is neither shown nor sent. */
export class EndpointFilter {
  readonly #spec: FilterSpec
  readonly #included: (path: string) => boolean
  readonly #excluded: (path: string) => boolean

  constructor(spec: FilterSpec) {
    this.#spec = spec
    this.#included = spec.includePaths.length === 0 ? () => true : matcher(spec.includePaths, false)
    this.#excluded = spec.excludePaths.length === 0 ? () => false : matcher(spec.excludePaths, true)
  }

  /**
   * Whether an operation of the API document is one that the agent has. Paths of a document are
   * below that of its server.
   */
  has({ path, tags }: Pick<ApiEndpoint, 'path' | 'tags'>, bases: readonly string[] = []): boolean {
    return (
      this.#hasTag(tags) &&
      this.#hasPath([path.replace(/[?#].*$/s, '').replaceAll(/[{}]/g, '')], bases)
    )
  }

  /**
   * Why a request may not be made; `undefined` where it may. A path that can be read in several
   * ways has to be let through in each of them; of GraphQL, every field that it asks for.
   */
  refusal(
    action: Action,
    { name, rest: { format } }: { readonly name: string; readonly rest: Pick<RestSpec, 'format'> },
    document: ApiDocument | undefined,
  ): string | undefined {
    const gone = `the connection "${name}" has no ${action.method} ${action.path}: its filter leaves it out`
    if (format === 'graphql') return this.#refusedFields(action, name)
    const method = httpMethodOf(action)
    const base = action.base ?? '/'
    const readings = readingsOf(action.path).flatMap((reading) => resolved(reading) ?? [])
    if (!readings.every((reading) => this.#hasPath([reading], [base]))) return gone
    if (this.#spec.tags.length === 0) return undefined
    if (!document)
      return `its filter lets the tags ${this.#spec.tags.join(', ')} of "${name}" through, and its API document is not there to say what has them`
    const index = operationsOf(document)
    const tagged = readings.every((reading) => {
      const found = index.at(method, reading, base)
      const operations =
        found.length === 0 && method === 'HEAD' ? index.at('GET', reading, base) : found
      return (
        operations.length > 0 && operations.every(({ endpoint }) => this.#hasTag(endpoint.tags))
      )
    })
    return tagged ? undefined : gone
  }

  #refusedFields(action: Action, name: string): string | undefined {
    if (action.method !== 'QUERY' && action.method !== 'MUTATION')
      return `the connection "${name}" has operations of GraphQL only: its filter leaves everything else out`
    const { body, query } = action
    const operations = [
      ...(body === undefined ? [] : readOperations(body)),
      ...(query['query'] ?? []).flatMap((text) => readOperations({ query: text })),
    ]
    const fields = operations
      .flatMap((operation) => (operation.fields.length === 0 ? [''] : operation.fields))
      .filter((field) => field !== TYPE_NAME)
    // A question about the schema itself would show what is left out.
    const gone = fields.find(
      (field) => field === '' || field.startsWith('__') || !this.#hasPath([field], []),
    )
    if (gone === undefined) return undefined
    return gone === ''
      ? `this operation of "${name}" cannot be read: name its fields`
      : `the connection "${name}" has no field ${gone}: its filter leaves it out`
  }

  #hasTag(tags: readonly string[]): boolean {
    return this.#spec.tags.length === 0 || tags.some((tag) => this.#spec.tags.includes(tag))
  }

  /** Globs are written with the base path or without it. */
  #hasPath(paths: readonly string[], bases: readonly string[]): boolean {
    const all = paths.flatMap((path) => [
      path,
      ...bases.flatMap((base) => [below(path, base), above(path, base)]),
    ])
    return all.some(this.#included) && !all.some(this.#excluded)
  }
}

const below = (path: string, base: string): string => {
  const root = base.replace(/\/+$/, '')
  return root !== '' && path.toLowerCase().startsWith(`${root}/`.toLowerCase())
    ? path.slice(root.length)
    : path
}
const above = (path: string, base: string): string =>
  path.startsWith('/') && below(path, base) === path ? `${base.replace(/\/+$/, '')}${path}` : path

/** `{id}` of a glob is any one segment, as in the paths of a document; `{a,b}` stays a choice. */
function matcher(globs: readonly string[], nocase: boolean): (path: string) => boolean {
  const matches = picomatch(
    globs.map((glob) => glob.replaceAll(/\{[\w.-]+\}/g, '*')),
    { dot: true, nocase },
  )
  return (path) => matches(path.length > 1 ? path.replace(/\/+$/, '') : path)
}

/** A document as the agent has it: without what the filter leaves out. */
export function filteredDocument(
  document: ApiDocument,
  spec: FilterSpec,
  base: string,
): ApiDocument {
  if (!hasFilter(spec)) return document
  const filter = new EndpointFilter(spec)
  const bases = [base, ...(document.basePath === undefined ? [] : [document.basePath])].filter(
    (path) => path.replaceAll('/', '') !== '',
  )
  return withEndpoints(
    document,
    document.endpoints.filter((endpoint) => filter.has(endpoint, bases)),
  )
}

/** A connection whose texts name nothing that its filter leaves out. */
export function filteredTexts<C extends Connection & { readonly rest: RestSpec }>(
  connection: C,
  document: ApiDocument | undefined,
  base: string,
): C {
  const { rest, surface } = connection
  if (surface === '' || !hasFilter(rest.filter)) return connection
  const filter = new EndpointFilter(rest.filter)
  const index = document && operationsOf(document)
  const isGone = (method: string, path: string): boolean => {
    if (!path.startsWith('/')) return !filter.has({ path, tags: [] })
    const operations = index?.at(method, path, base) ?? []
    return operations.length === 0
      ? rest.filter.tags.length > 0 || !filter.has({ path, tags: [] }, [base])
      : operations.every(({ endpoint }) => !filter.has(endpoint, [base]))
  }
  return { ...connection, surface: surfaceWithout(surface, isGone) }
}
