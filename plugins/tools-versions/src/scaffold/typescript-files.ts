/** The types of versioned tools in TypeScript: no code of them runs. */
export const TYPESCRIPT_SCAFFOLD = `// Types of versioned tools. \`amodal tool-scaffold install\` writes this file: do not edit it.

export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [name: string]: Json | undefined
}

/** What is known of one run. */
export interface ToolMetadata {
  /** In \`conversation-simulation\` a tool acts on nothing outside, and may return test data. */
  readonly invocation_mode: 'regular' | 'conversation-simulation'
  readonly invocation_id: string
  readonly tool_id: string
  readonly tool_name: string
  /** \`null\`: the head of a branch is tested. */
  readonly version: string | null
}

/** The environment variables of the tool by name, secrets among them. */
export type ToolConfig = Readonly<Record<string, string | undefined>>

/** The conversation that calls the tool; \`null\` where a program invokes it. */
export interface Conversation {
  readonly conversation_id?: string
  readonly interaction_id?: string
  readonly principal?: string
  /** What the client sent with the message: nobody has verified it. */
  readonly context?: JsonObject
}

/** Says how the run is getting on: an object, or a text that becomes its \`message\`. */
export type SendStatusEvent = (event: JsonObject | string) => Promise<void>

/** Key-value pairs of the user's profile. */
export type UserVariables = Readonly<Record<string, string | undefined>>

/**
 * The entry point of a tool.
 *
 * @example
 * export const run_tool: RunTool<{ order: number }, { status: string }> = async (
 *   tool_input,
 *   metadata,
 *   config,
 *   conversation,
 *   send_status_event,
 *   user_variables,
 * ) => ({ status: 'shipped' })
 */
export type RunTool<Input, Output> = (
  tool_input: Input,
  metadata: ToolMetadata,
  config: ToolConfig,
  conversation: Conversation | null,
  send_status_event: SendStatusEvent,
  user_variables: UserVariables,
) => Output | Promise<Output>
`

/** A tool to begin with. */
export const TYPESCRIPT_TOOL = `import type { RunTool } from './amodal_tool_scaffold.ts'

interface Input {
  readonly order: number
}

interface Output {
  readonly order: number
  readonly status: string
}

export const run_tool: RunTool<Input, Output> = async (
  tool_input,
  metadata,
  config,
  conversation,
  send_status_event,
  user_variables,
) => {
  if (metadata.invocation_mode === 'conversation-simulation')
    return { order: tool_input.order, status: 'shipped' }
  await send_status_event({ message: \`Looking for order \${tool_input.order}\` })
  // Ask your own system here: with \`fetch\`, and with what \`config\` has of the tool's variables.
  return { order: tool_input.order, status: 'shipped' }
}
`
