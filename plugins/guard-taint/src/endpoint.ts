import {
  hashOf,
  type Action,
  type AgentBundle,
  type Json,
  type PreparedCall,
  type RunContext,
} from '@amodal/sdk'
import {
  apiDocumentsOf,
  baseSegments,
  compareTemplates,
  connectionsOf,
  matchTemplate,
  parseTemplate,
  segmentsOf,
  withoutBase,
  type Template,
} from '@amodal/sdk/connections'
import type { GrantOffer } from '@amodal/sdk/loop'
import { operationsIn, readingsOf } from '@amodal/plugin-connect-rest/tokens'
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

/**
 * Such as `POST /tickets/{id}/close`: the most specific template that covers the path, as
 * `access.json` reads it. What no template covers, or can be read in two ways, is the path itself.
 */
export function endpointOf(action: Action, bundle: AgentBundle): string {
  const { method, path, protocol, connection, base } = action
  if (protocol !== 'rest') return `${method} ${path}`
  if (method === 'MUTATION' || method === 'QUERY') return graphqlEndpointOf(action)
  const own = belowBase(path, base)
  const [reading, ...others] = readingsOf(path)
  const segments = others.length === 0 && segmentsOf(belowBase(reading ?? path, base))
  if (!segments) return `${method} ${own}`
  const access = connectionsOf(bundle).find(({ name }) => name === connection)?.access
  const covering = [
    ...(access?.rules ?? []),
    ...(apiDocumentsOf(bundle)[connection]?.endpoints ?? []),
  ]
    .filter((endpoint) => endpoint.method === method || endpoint.method === '*')
    .flatMap((endpoint) => {
      const template = narrowTemplate(endpoint.path, base)
      return template && matchTemplate(template, segments, false)
        ? [{ path: endpoint.path, template }]
        : []
    })
    .sort((one, other) => compareTemplates(other.template, one.template))
  return `${method} ${covering[0]?.path ?? own}`
}

/** A template below the base path; one with `**` covers too much to be granted. */
function narrowTemplate(path: string, base = ''): Template | undefined {
  const parsed = parseTemplate(path)
  if (!parsed.ok || parsed.value.some(({ kind }) => kind === 'rest')) return undefined
  return withoutBase(parsed.value, baseSegments(base)) ?? parsed.value
}

/** A GraphQL server has one path for all it does: its root fields, as rules name them. */
function graphqlEndpointOf(action: Action): string {
  const fields = operationsIn(action).flatMap((operation) => operation.fields)
  return fields.length > 0
    ? `${action.method} ${[...new Set(fields)].sort().join(', ')}`
    : `${action.method} of document ${hashOf(action.body ?? null).slice(0, 12)}`
}
