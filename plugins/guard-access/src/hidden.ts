import {
  type AgentBundle,
  type ApiDocument,
  type Connection,
  type Json,
  type ToolDefinition,
  type ToolList,
  trySync,
} from '@amodal/sdk'
import { apiDocumentsOf, connectionsOf, withEndpoints } from '@amodal/sdk/connections'
import { surfaceWithout } from '@amodal/sdk/files'
import type { Judge } from './judge.ts'
import { ASKED, judgeOperation } from './operations.ts'

/** Whether a connection has rules that hide anything. */
const hides = ({ access: { rules, fallback } }: Connection): boolean =>
  rules.some(({ hidden }) => hidden) || (fallback.hidden ?? []).length > 0

/** The bundle without hidden endpoints in documents and texts of connections. */
export function withoutHidden(bundle: AgentBundle, judge: Judge): AgentBundle {
  const connections = connectionsOf(bundle)
  const hiding = connections.filter((one) => one.protocol === 'rest' && hides(one))
  if (hiding.length === 0) return bundle
  const documents = apiDocumentsOf(bundle)
  const left = Object.fromEntries(
    hiding.flatMap((connection): readonly (readonly [string, ApiDocument])[] => {
      const document = documents[connection.name]
      return document
        ? [
            [
              connection.name,
              withEndpoints(
                document,
                document.endpoints.filter(
                  ({ method, path }) => !isHidden(connection, method, path, judge),
                ),
              ),
            ],
          ]
        : []
    }),
  )
  const texts = connections.map((one) =>
    hiding.includes(one)
      ? {
          ...one,
          surface: surfaceWithout(one.surface, (method, path) =>
            isHidden(one, method, path, judge),
          ),
        }
      : one,
  )
  return {
    ...bundle,
    // Made of what was read as JSON.
    parts: {
      ...bundle.parts,
      connections: texts as unknown as Json,
      ...(Object.keys(left).length > 0 && {
        'api-documents': { ...documents, ...left } as unknown as Json,
      }),
    },
  }
}

const isHidden = (connection: Connection, method: string, path: string, judge: Judge): boolean =>
  method !== 'CALL' && judgeOperation(judge, connection, { method, path }).hidden === true

/** The list without tools of MCP servers that rules hide. */
export function listWithoutHidden(list: ToolList, bundle: AgentBundle, judge: Judge): ToolList {
  const hiding = connectionsOf(bundle).filter((one) => one.protocol === 'mcp' && hides(one))
  if (hiding.length === 0) return list
  const isGone = (tool: ToolDefinition): boolean => {
    const action = trySync(
      () => tool.action?.({}, bundle),
      () => undefined,
    )
    const does = action.ok && action.value?.ok ? action.value.value : undefined
    const connection =
      does?.protocol === 'mcp' ? hiding.find(({ name }) => name === does.connection) : undefined
    return (
      does !== undefined &&
      connection !== undefined &&
      judge.judge(connection, does, ASKED).hidden === true
    )
  }
  const gone = new Set(list.tools.filter(isGone).map(({ name }) => name))
  if (gone.size === 0) return list
  return {
    ...list,
    tools: list.tools.filter(({ name }) => !gone.has(name)),
    aliases: Object.fromEntries(Object.entries(list.aliases).filter(([, name]) => !gone.has(name))),
  }
}
