import { defineTool, type AgentBundle, type Json, type ToolDefinition } from '@amodal/sdk'
import { apiDocumentsOf } from '@amodal/sdk/connections'
import { z } from 'zod'
import { restConnections } from '../request-tool.ts'
import { driftOf, folderOf, type DriftSource } from './drift.ts'
import { reportJson } from './drift-report.ts'

export const CHECK_API_DRIFT = 'check_api_drift'

/** ms for all connections. */
const TIMEOUT_MS = 120_000

/**
 * The tool that compares the documents of connections with what their addresses serve; none where
 * no connection has both.
 */
export function driftTools(bundle: AgentBundle, source: DriftSource): readonly ToolDefinition[] {
  const documents = apiDocumentsOf(bundle)
  const comparable = restConnections(bundle).filter((connection) => {
    const from = documents[connection.name]?.from
    return connection.rest.specUrl !== undefined && from?.startsWith(`${folderOf(connection)}/`)
  })
  const [first, ...more] = comparable.map(({ name }) => name)
  if (first === undefined) return []
  return [
    defineTool({
      name: CHECK_API_DRIFT,
      description:
        'Compares the API documents of connections with what the APIs serve now: what has changed, what is breaking, and which files of this agent name it.',
      readOnly: true,
      timeoutMs: TIMEOUT_MS,
      runningLabel: 'Comparing API documents',
      completedLabel: 'Compared API documents',
      input: z.object({
        connection: z
          .enum([first, ...more])
          .optional()
          .describe('One alone; all of them without'),
      }),
      async execute({ connection }, { signal }) {
        const wanted = comparable.filter(
          ({ name }) => connection === undefined || name === connection,
        )
        const found = await Promise.all(
          wanted.map(async (one) => {
            const drift = await driftOf(one, bundle, source, signal)
            return drift.ok
              ? reportJson(drift.value)
              : { connection: one.name, error: drift.error.why }
          }),
        )
        return { status: 'success', output: found as unknown as Json } // texts, numbers and lists
      },
    }),
  ]
}
