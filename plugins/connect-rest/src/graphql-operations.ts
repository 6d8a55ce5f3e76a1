import { createRequire } from 'node:module'
import type { DocumentNode, OperationDefinitionNode, SelectionSetNode } from 'graphql'
import type * as Language from 'graphql/language/index.js'
import { type Action, isList, isObject, type Json, type JsonObject, trySync } from '@amodal/sdk'
import { Issues, readJson } from '@amodal/sdk/files'
import { Fragments, type Selection } from './graphql-selection.ts'

/** What one document of a request does: root fields by their own names, fragments spread. */
export interface GraphqlOperation {
  /** A subscription, and what cannot be read, is a mutation; its fields are none. */
  readonly kind: 'query' | 'mutation'
  readonly fields: readonly string[]
  /** What its response holds; left out where it cannot be read, or nothing says what runs. */
  readonly selection?: Selection
  /** All fields of the document that have another key in its response. */
  readonly aliases?: readonly Alias[]
  /** The object that thresholds see as `body`. */
  readonly body: JsonObject
}

export interface Alias {
  readonly alias: string
  readonly name: string
}

const UNREADABLE: GraphqlOperation = { kind: 'mutation', fields: [], body: {} }
const MOST_TOKENS = 10_000

/** Loaded by the first GraphQL request: most agents send none, and a start need not wait for it. */
const language = (): typeof Language =>
  createRequire(import.meta.url)('graphql/language') as typeof Language

/**
 * Reads the operations of a GraphQL request: one, or a batch. Where nothing says which operation of
 * a document runs, all of them count as one. What cannot be read is a mutation of no known field.
 *
 * @param body the request's body: an object, a batch, or a text that is JSON or a document
 * @example
 * readOperations({ query: 'mutation { close(id: 1) { id } }' })
 * // → [{ kind: 'mutation', fields: ['close'], … }]
 * @see https://graphql.github.io/graphql-over-http/draft/
 */
export function readOperations(body: Json | undefined): readonly GraphqlOperation[] {
  if (typeof body === 'string') return readText(body)
  if (isList(body))
    return body.length === 0
      ? [UNREADABLE]
      : body.map((one) => (isObject(one) ? readRequest(one) : UNREADABLE))
  return [isObject(body) ? readRequest(body) : UNREADABLE]
}

/**
 * The operations of an action, as its connection sends them: those of its body, then those of its
 * address.
 */
export function operationsIn({
  body,
  query,
}: Pick<Action, 'body' | 'query'>): readonly GraphqlOperation[] {
  const [operationName, ...others] = query['operationName'] ?? []
  const named = operationName !== undefined && others.length === 0 ? { operationName } : {}
  return [
    ...(body === undefined ? [] : readOperations(body)),
    ...(query['query'] ?? []).flatMap((text) => readOperations({ query: text, ...named })),
  ]
}

function readText(text: string): readonly GraphqlOperation[] {
  if (!/^\s*[[{]\s*["{\]}]/.test(text)) return [readDocument(text, undefined, {})]
  const issues = new Issues()
  const json = readJson({ path: 'body', text }, issues)
  // A name that is there twice means one thing to us and another to somebody else.
  if (!json || issues.sorted().length > 0)
    return [isDocument(text) ? readDocument(text, undefined, {}) : UNREADABLE]
  return typeof json.value === 'string' ? [UNREADABLE] : readOperations(json.value)
}

const isDocument = (text: string): boolean =>
  trySync(
    () => language().parse(text, { maxTokens: MOST_TOKENS }),
    () => undefined,
  ).ok

function readRequest(body: JsonObject): GraphqlOperation {
  const { query, operationName } = body
  return typeof query === 'string'
    ? readDocument(query, operationName, body)
    : { ...UNREADABLE, body }
}

function readDocument(
  text: string,
  operationName: Json | undefined,
  body: JsonObject,
): GraphqlOperation {
  const read = trySync(
    () =>
      operationsOf(
        language().parse(text, { noLocation: true, maxTokens: MOST_TOKENS }),
        operationName,
      ),
    () => undefined,
  )
  return read.ok && read.value ? { ...read.value, body } : { ...UNREADABLE, body }
}

function operationsOf(
  document: DocumentNode,
  operationName: Json | undefined,
): Omit<GraphqlOperation, 'body'> | undefined {
  const { Kind, OperationTypeNode } = language()
  const operations = document.definitions.filter(
    (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
  )
  const named = operations.filter(({ name }) => name !== undefined && name.value === operationName)
  const chosen = named.length === 1 ? named : operations
  if (chosen.length === 0) return undefined
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet] as const] : [],
    ),
  )
  const fields = new Set<string>()
  const collect = (selections: SelectionSetNode, above: readonly string[]): boolean =>
    selections.selections.every((node) => {
      if (node.kind === Kind.FIELD) return fields.add(node.name.value)
      if (node.kind === Kind.INLINE_FRAGMENT) return collect(node.selectionSet, above)
      const spread = fragments.get(node.name.value)
      return (
        spread !== undefined &&
        !above.includes(node.name.value) &&
        collect(spread, [...above, node.name.value])
      )
    })
  if (!chosen.every(({ selectionSet }) => collect(selectionSet, []))) return undefined
  const [kind, ...mixed] = [...new Set(chosen.map(({ operation }) => operation))]
  const selection = new Fragments(fragments, Kind).level(
    chosen.map(({ selectionSet }) => selectionSet),
  )
  return {
    kind: kind === OperationTypeNode.QUERY && mixed.length === 0 ? 'query' : 'mutation',
    fields: [...fields],
    aliases: aliasesIn(document),
    // Servers refuse a request that could be a query or a mutation.
    ...(mixed.length === 0 && { selection }),
  }
}

function aliasesIn(document: DocumentNode): readonly Alias[] {
  const aliases: Alias[] = []
  language().visit(document, {
    Field: ({ alias, name }) => {
      if (alias) aliases.push({ alias: alias.value, name: name.value })
    },
  })
  return aliases
}
