import {
  callId,
  defineBundle,
  ok,
  type Action,
  type AgentBundle,
  type Json,
  type JsonObject,
  type Message,
  type PreparedCall,
  type ToolDefinition,
} from '@amodal/sdk'
import { Taint, type Known } from '../src/taint.ts'

type ToolPart = Extract<Message, { role: 'tool' }>['content'][number]
type Output = Extract<ToolPart, { type: 'tool-result' }>['output']

export const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })

/** A call of the model's and what came of it. */
export function called(
  toolName: string,
  input: JsonObject,
  value: Json,
  id = `call_${toolName}`,
): readonly [Message, Message] {
  const output: Output =
    typeof value === 'string'
      ? { type: 'text', value }
      : { type: 'json', value: value as Extract<Output, { type: 'json' }>['value'] }
  return [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName, input }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName, output }] },
  ]
}

export const agent = (parts: Partial<Parameters<typeof defineBundle>[0]> = {}): AgentBundle =>
  defineBundle({ name: 'agent', ...parts })

export const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: name,
  parameters: { type: 'object', properties: {} },
  parse: (args) => ok(args),
  readOnly: false,
  execute: async () => ({ status: 'success', output: null }),
  ...more,
})

/** A request of a connection, as it would be sent. */
export const request = (
  action: Partial<Action> & Pick<Action, 'method' | 'path'>,
): PreparedCall => {
  const full: Action = {
    connection: 'crm',
    protocol: 'rest',
    base: '/api',
    query: {},
    headers: {},
    effect: action.method === 'GET' ? 'read' : 'write',
    ...action,
  }
  return {
    id: callId('now'),
    tool: tool('request'),
    args: {
      connection: full.connection,
      endpoint: full.path,
      ...(full.body !== undefined && { data: full.body }),
    },
    action: full,
  }
}

export const calling = (
  name: string,
  args: JsonObject,
  more: Partial<ToolDefinition> = {},
): PreparedCall => ({ id: callId('now'), tool: tool(name, more), args })

export function knownFrom(
  messages: readonly Message[],
  {
    bundle = agent(),
    tool: asked = tool('any'),
    delegated = false,
  }: {
    readonly bundle?: AgentBundle
    readonly tool?: ToolDefinition
    readonly delegated?: boolean
  } = {},
): Known {
  return new Taint(1_000_000).known({ messages, bundle, delegated }, asked)
}
