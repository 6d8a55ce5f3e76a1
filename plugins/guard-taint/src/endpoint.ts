import type { Action, AgentBundle, PreparedCall } from '@amodal/sdk'
import { apiDocumentsOf, connectionsOf } from '@amodal/sdk/connections'
import type { GrantOffer } from '@amodal/sdk/loop'
import { hashOf, isObject, type Json, type RunContext } from '@amodal/sdk'
import { belowBase } from './chosen.ts'

/**
 * What a grant for this call would cover: its tool, and the endpoint's template. What neither
 * `access.json` nor an API document describes is covered as it stands, path by path.
 */
export function offerFor(
  { tool, action }: PreparedCall,
  { bundle, session }: Pick<RunContext, 'bundle' | 'session'>,
): GrantOffer {
  const connection = action && connectionsOf(bundle).find(({ name }) => name === action.connection)
  const definition = {
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    digest: tool.digest ?? null,
    file: tool.file ?? null,
    uses: [...(tool.uses ?? [])],
    connection: connection
      ? { spec: connection.spec, access: connection.access as unknown as Json } // read from JSON
      : null,
    origin: action?.origin ?? null,
  }
  return {
    tool: tool.name,
    endpoint: action ? endpointOf(action, bundle) : null,
    connection: action?.connection ?? null,
    definition: hashOf(definition),
    session,
  }
}

/** Such as `POST /tickets/{id}/close`. */
export function endpointOf(action: Action, bundle: AgentBundle): string {
  const { method, path, protocol, connection, base } = action
  if (protocol !== 'rest') return `${method} ${path}`
  const document = graphqlDocumentOf(action)
  // A GraphQL server has one path for everything it does.
  if (document !== undefined)
    return `${method} ${path} of document ${hashOf(document).slice(0, 12)}`
  const access = connectionsOf(bundle).find(({ name }) => name === connection)?.access
  const templates = [
    ...(access?.rules ?? []),
    ...(apiDocumentsOf(bundle)[connection]?.endpoints ?? []),
  ].filter((one) => one.method === method || one.method === '*')
  const paths = [path, belowBase(path, base)]
  const matching = templates
    .filter((template) => paths.some((one) => matches(template.path, one)))
    .map((template) => template.path)
    .sort((one, other) => literalsIn(other) - literalsIn(one))
  return `${method} ${matching[0] ?? belowBase(path, base)}`
}

function graphqlDocumentOf({ method, body }: Action): string | undefined {
  if (method !== 'MUTATION' && method !== 'QUERY') return undefined
  const query = isObject(body) ? body['query'] : body
  return typeof query === 'string' ? query : ''
}

const segmentsOf = (path: string): readonly string[] => path.split('/').filter((one) => one !== '')
const isParameter = (segment: string): boolean => /[{*]/.test(segment)
const literalsIn = (template: string): number =>
  segmentsOf(template).filter((segment) => !isParameter(segment)).length

/** A template with `**` is too wide to grant, and matches nothing here. */
function matches(template: string, path: string): boolean {
  const [parts, segments] = [segmentsOf(template), segmentsOf(path)]
  return (
    !template.includes('**') &&
    parts.length === segments.length &&
    parts.every((part, at) => isParameter(part) || part === segments[at])
  )
}
