import type { AgentBundle, BundleIssue, Connection } from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { jsonFileIn, unknownReference, type Path } from '@amodal/sdk/files'
import { CALLER_NAMES, isCallerName } from './user-context.ts'

/**
 * Adds names of values of the caller that are near to one that the server knows. Any other name may
 * come with the `context` of a message.
 */
export function addContextIssues(bundle: AgentBundle, issues: BundleIssue[]): void {
  for (const connection of connectionsOf(bundle)) {
    const access = connection.file.replace(/[^/]*$/, 'access.json')
    for (const { entity, field, userContextField } of connection.access.rowScoping)
      addNear(bundle, userContextField, issues, access, [
        'rowScoping',
        entity,
        field,
        'userContextField',
      ])
    addInjected(bundle, connection, issues)
  }
}

function addInjected(bundle: AgentBundle, { file, rest }: Connection, issues: BundleIssue[]): void {
  for (const { value } of rest?.contextInjection ?? [])
    addNear(bundle, value, issues, file, ['contextInjection', value])
}

function addNear(
  { files }: AgentBundle,
  name: string,
  issues: BundleIssue[],
  file: string,
  at: Path,
): void {
  if (isCallerName(name)) return
  const message = `the server knows no "${name}" of a caller`
  const line = jsonFileIn(files, file)?.lineOf(at) ?? 1
  const found = unknownReference({ name, message, file, line }, CALLER_NAMES)
  if (found) issues.push(found)
}
