import {
  type ApiDocument,
  type ApiEndpoint,
  type ApiMedia,
  type BodyMedia,
  err,
  isList,
  isObject,
  type Json,
  type JsonObject,
  ok,
  type Result,
} from '@amodal/sdk'
import { categoryOf, covers, essenceOf } from './media-type.ts'
import { operationsOf } from './documents/operation-index.ts'
import { fileIn } from './multipart.ts'
import type { Query } from './query.ts'

/** A request as far as its operation is looked for. */
export interface Looked {
  readonly method: string
  readonly path: string
  readonly base: string
  readonly query: Query
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Operations of the document that a request may be. Where several share a path (`/#Action=A`,
 * `/#Action=B`), those whose fixed parameters the request has; where it has none of them, all.
 */
export function operationsAt(
  document: ApiDocument,
  { method, path, base, query, headers }: Looked,
): readonly ApiEndpoint[] {
  const found = operationsOf(document)
    .at(method, path, base)
    .map(({ endpoint }) => endpoint)
  if (found.length < 2) return found
  const given = ({
    name,
    in: place,
  }: NonNullable<ApiEndpoint['fixed']>[number]): readonly string[] =>
    place === 'query' ? (query[name] ?? []) : [headers[name.toLowerCase()] ?? []].flat()
  const named = found.filter(
    ({ fixed = [] }) => fixed.length > 0 && fixed.every((one) => given(one).includes(one.value)),
  )
  if (named.length > 0) return named
  const possible = found.filter(({ fixed = [] }) =>
    fixed.every((one) => given(one).length === 0 || given(one).includes(one.value)),
  )
  return possible.length > 0 ? possible : found
}

/**
 * The operation whose own path has this fragment, such as `#Action=CopyImage`; it is no part of
 * what is sent.
 */
export function operationNamed(
  document: ApiDocument,
  fragment: string,
  { method, path, base }: Pick<Looked, 'method' | 'path' | 'base'>,
): ApiEndpoint | undefined {
  return operationsOf(document)
    .at(method, path, base)
    .find((one) => one.fragment === fragment)?.endpoint
}

/**
 * How a body is written: as the operation takes it, in the type that the caller names, or in the
 * first that fits what was passed.
 *
 * @param named `content-type` of the caller
 * @returns an error text where the operation takes no such type
 */
export function mediaFor(
  operation: ApiEndpoint | undefined,
  body: Json,
  named: string | undefined,
): Result<BodyMedia | undefined, string> {
  const takes = operation?.takes ?? []
  if (named !== undefined) {
    const meant = takes.find(({ type }) => covers(type, named))
    if (takes.length > 0 && !meant)
      return err(
        `${operation?.method} ${operation?.path} takes ${listOf(takes)}, and not ${essenceOf(named)}: leave the header content-type out`,
      )
    return ok(plainMedia({ ...meant, type: named }, body))
  }
  if (takes.length === 0) return ok(undefined)
  const chosen =
    ORDER.map((category) =>
      takes.find(({ type }) => categoryOf(type) === category && isFit(category, body)),
    ).find((one) => one !== undefined) ?? takes[0]
  return ok(chosen && plainMedia(chosen, body))
}

/** JSON is what everybody expects. */
const ORDER = ['json', 'form', 'multipart', 'text', 'bytes'] as const

function isFit(category: (typeof ORDER)[number], body: Json): boolean {
  const files =
    isObject(body) &&
    Object.values(body).some((one) =>
      (isList(one) ? one : [one]).some(
        (value) =>
          isObject(value) && typeof value['base64'] === 'string' && fileIn(value) !== undefined,
      ),
    )
  switch (category) {
    case 'json':
      return !files && !(typeof body === 'string' && !/^\s*[[{"\d]/.test(body))
    case 'form':
      return !files
    case 'multipart':
      return isObject(body)
    case 'text':
      return typeof body === 'string'
    case 'bytes':
      return typeof body === 'string' || fileIn(body) !== undefined
  }
}

/** With what is said of those fields that the body has. */
function plainMedia({ type, fields = {} }: ApiMedia, body: Json): BodyMedia {
  const own = isObject(body)
    ? Object.entries(fields).filter(([name]) => Object.hasOwn(body, name))
    : []
  return { type, ...(own.length > 0 && { fields: Object.fromEntries(own) }) }
}

const listOf = (takes: readonly ApiMedia[]): string => takes.map(({ type }) => type).join(', ')

/** Parameters that make the request this operation, in places where the caller said nothing. */
export function fixedParameters(
  { fixed = [] }: ApiEndpoint,
  params: Json | undefined,
  headers: Json | undefined,
): { readonly params?: JsonObject; readonly headers?: JsonObject } {
  const own = (place: 'query' | 'header', given: Json | undefined): JsonObject | undefined => {
    const base = isObject(given) ? given : {}
    const names = new Set(Object.keys(base).map((name) => name.toLowerCase()))
    const added = fixed
      .filter((one) => one.in === place && !names.has(one.name.toLowerCase()))
      .map(({ name, value }) => [name, value] as const)
    return added.length === 0 ? undefined : { ...base, ...Object.fromEntries(added) }
  }
  const [query, more] = [own('query', params), own('header', headers)]
  return { ...(query && { params: query }), ...(more && { headers: more }) }
}
