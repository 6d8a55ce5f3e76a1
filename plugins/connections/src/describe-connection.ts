import { defineTool, type AgentBundle, type ToolDefinition } from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { z } from 'zod'
import { textsOf } from './texts.ts'

export const DESCRIBE_CONNECTION = 'describe_connection'

/**
 * The tool that gives the texts of one connection, for agents with more of them than fit into every
 * prompt.
 */
export function describeConnection(bundle: AgentBundle): ToolDefinition {
  const connections = connectionsOf(bundle)
  return defineTool({
    name: DESCRIBE_CONNECTION,
    description:
      'Gives what is known of one of the connections: its endpoints, its entities, its rules.',
    readOnly: true,
    runningLabel: 'Reading about a connection',
    completedLabel: 'Read about a connection',
    input: z.object({
      connection: z.enum(connections.map(({ name }) => name)).describe('Name of the connection'),
    }),
    async execute({ connection: name }) {
      const connection = connections.find((one) => one.name === name)
      const text = connection ? textsOf(connection) : ''
      return {
        status: 'success',
        output: text === '' ? `Nothing more is written about ${name}.` : text,
      }
    },
  })
}
