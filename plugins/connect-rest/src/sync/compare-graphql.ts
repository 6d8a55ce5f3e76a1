import { createRequire } from 'node:module'
import type * as Graphql from 'graphql'
import type { ParsedDocument } from '../documents/parsed-document.ts'
import type { ApiChange } from './api-change.ts'
import { addedOperations } from './compare-operations.ts'

const graphql = (): typeof Graphql => createRequire(import.meta.url)('graphql') as typeof Graphql

interface Schema {
  /** In SDL. */
  readonly text: string
  readonly document: ParsedDocument
}

/** Compares two GraphQL schemas, with the checks of the reference implementation. */
export function compareGraphql(before: Schema, after: Schema): readonly ApiChange[] {
  const { buildSchema, findBreakingChanges, findDangerousChanges } = graphql()
  const options = { noLocation: true, assumeValid: true, assumeValidSDL: true }
  const [old, current] = [before, after].map(({ text }) => buildSchema(text, options))
  if (!old || !current) return []
  const roots = new Map(
    [
      ['QUERY', old.getQueryType()?.name],
      ['MUTATION', old.getMutationType()?.name],
    ].flatMap(([method, type]) => (type === undefined ? [] : [[type, method] as const])),
  )
  const differences = [
    ...findBreakingChanges(old, current).map((change) => ({
      kind: 'breaking' as const,
      ...change,
    })),
    ...findDangerousChanges(old, current).map((change) => ({
      kind: 'compatible' as const,
      ...change,
    })),
  ]
  return [
    ...differences.map(({ description, kind }) => ({
      kind,
      text: description.replace(/\.$/, ''),
      ...placeOf(description, roots),
    })),
    ...addedOperations(before.document, after.document),
  ]
}

/** The operation or the field of a type that a description names first: `Deal.ssn was removed.` */
function placeOf(
  description: string,
  roots: ReadonlyMap<string | undefined, string | undefined>,
): Pick<ApiChange, 'operation' | 'field'> {
  const [, type, name] = /\b([A-Za-z_]\w*)\.([A-Za-z_]\w*)/.exec(description) ?? []
  if (type === undefined || name === undefined) return {}
  const method = roots.get(type)
  return method === undefined
    ? { field: { schema: type, name } }
    : { operation: `${method} ${name}` }
}
