import type { ApiEndpoint, ApiParameter } from '@amodal/sdk'
import type { ParsedDocument } from '../documents/parsed-document.ts'
import type { ApiChange } from './api-change.ts'

const nameOf = ({ method, path }: ApiEndpoint): string => `${method} ${path}`

const byName = ({ endpoints }: ParsedDocument): ReadonlyMap<string, ApiEndpoint> =>
  new Map(endpoints.map((endpoint) => [nameOf(endpoint), endpoint]))

/** Operations that only the newer document has. */
export function addedOperations(
  before: ParsedDocument,
  after: ParsedDocument,
): readonly ApiChange[] {
  const known = byName(before)
  return after.endpoints
    .filter((endpoint) => !known.has(nameOf(endpoint)))
    .map((endpoint) => ({
      kind: 'compatible',
      text: `added operation ${nameOf(endpoint)}`,
      operation: nameOf(endpoint),
    }))
}

/**
 * Compares the operations of two documents by what the agent is shown of them: for Swagger 2, and
 * for documents of different kinds.
 */
export function compareOperations(
  before: ParsedDocument,
  after: ParsedDocument,
): readonly ApiChange[] {
  const current = byName(after)
  const differences = before.endpoints.flatMap((old): readonly ApiChange[] => {
    const operation = nameOf(old)
    const found = current.get(operation)
    if (!found) return [{ kind: 'breaking', text: `removed operation ${operation}`, operation }]
    return changesOf(old, found).map((change) => ({ ...change, operation }))
  })
  return [...differences, ...addedOperations(before, after)]
}

function changesOf(old: ApiEndpoint, current: ApiEndpoint): readonly ApiChange[] {
  const key = ({ in: place, name }: ApiParameter): string => `${place} parameter \`${name}\``
  const known = new Map(old.parameters.map((one) => [key(one), one]))
  const present = new Map(current.parameters.map((one) => [key(one), one]))
  const changes: ApiChange[] = []
  for (const [name, parameter] of known) {
    const found = present.get(name)
    if (!found) changes.push({ kind: 'breaking', text: `removed ${name}` })
    else if (found.type !== parameter.type)
      changes.push({ kind: 'breaking', text: `replaced type of ${name}` })
    else if (found.required === true && parameter.required !== true)
      changes.push({ kind: 'breaking', text: `${name} is required now` })
  }
  for (const [name, parameter] of present) {
    if (known.has(name)) continue
    const kind = parameter.required === true ? 'breaking' : 'compatible'
    changes.push({ kind, text: `added ${kind === 'breaking' ? 'required ' : ''}${name}` })
  }
  if (old.body !== current.body || mediaOf(old) !== mediaOf(current))
    changes.push({ kind: 'breaking', text: 'replaced what the body holds' })
  if (old.summary !== current.summary) changes.push({ kind: 'wording', text: 'replaced summary' })
  if (old.deprecated !== true && current.deprecated === true)
    changes.push({ kind: 'compatible', text: 'deprecated' })
  return changes
}

const mediaOf = ({ takes = [] }: ApiEndpoint): string => takes.map(({ type }) => type).join()
