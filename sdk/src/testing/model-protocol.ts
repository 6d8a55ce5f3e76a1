/**
 * The request side of the chat-completions protocol, as far as a model server has to understand it,
 * and the checks that a strict endpoint makes before it answers. Requests of the other protocols
 * are read into this form (`protocols/`), so that one script serves them all.
 *
 * Source: the OpenAI API reference, "Create chat completion".
 */

export interface MessagePart {
  readonly type: string
  readonly text?: string
  readonly image_url?: { readonly url: string }
}
export type MessageContent = string | readonly MessagePart[]

export interface ToolCallMessage {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

export type ChatMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly content: MessageContent }
  | {
      readonly role: 'assistant'
      readonly content?: MessageContent | null
      readonly tool_calls?: readonly ToolCallMessage[]
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: MessageContent }

export interface ToolDefinition {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description?: string
    readonly parameters?: { readonly [key: string]: unknown }
  }
}

export interface ChatCompletionRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean }
  readonly tools?: readonly ToolDefinition[]
  readonly tool_choice?: unknown
  readonly [parameter: string]: unknown
}

export type ParsedRequest =
  | { readonly ok: true; readonly request: ChatCompletionRequest }
  | { readonly ok: false; readonly problem: string }

/**
 * Reads a request body and refuses what a real endpoint would refuse: a body that is not a chat
 * completion, a tool call that no tool message answers, an answer to a call that was never made,
 * two calls of one id, and tools with names no provider takes.
 *
 * @param text the raw request body
 * @example
 * parseRequest('{"model":"m","messages":[]}'); // { ok: false, problem: 'messages: …' }
 */
export function parseRequest(text: string): ParsedRequest {
  const body = parseJson(text)
  if (!isChatCompletion(body)) {
    return { ok: false, problem: 'body: expected a JSON object with model and a messages list' }
  }
  return checkedRequest(body)
}

/** Refuses histories and tools that no provider takes, in whatever form they came. */
export function checkedRequest(request: ChatCompletionRequest): ParsedRequest {
  const problem = historyProblem(request.messages) ?? toolsProblem(request.tools ?? [])
  return problem === undefined ? { ok: true, request } : { ok: false, problem }
}

/** The words of a message, whichever of the two content forms it uses. */
export function contentText(message: ChatMessage | undefined): string {
  const content = message?.content ?? ''
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('')
}

/** The text of the newest user message, or the empty string. */
export function lastUserText(request: ChatCompletionRequest): string {
  return contentText(request.messages.findLast((message) => message.role === 'user'))
}

/** Whether the conversation ends with tool results, so that the model is to go on from them. */
export function endsWithToolResult(request: ChatCompletionRequest): boolean {
  return request.messages.at(-1)?.role === 'tool'
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool'])

export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}

function isChatCompletion(body: unknown): body is ChatCompletionRequest {
  return (
    isRecord(body) &&
    typeof body.model === 'string' &&
    Array.isArray(body.messages) &&
    body.messages.length > 0 &&
    body.messages.every((message) => isRecord(message) && roles.has(message.role))
  )
}

function historyProblem(messages: readonly ChatMessage[]): string | undefined {
  let open = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) {
        return `messages[${index}]: a 'tool' message must answer a preceding tool call, and no open call is named '${message.tool_call_id}'`
      }
      continue
    }
    if (open.size > 0) return unanswered(index, open)
    if (message.role === 'assistant') {
      const ids = (message.tool_calls ?? []).map((call) => call.id)
      open = new Set(ids)
      if (open.size < ids.length) return `messages[${index}]: two tool calls share one id`
    }
  }
  return open.size > 0 ? unanswered(messages.length, open) : undefined
}

function unanswered(index: number, open: ReadonlySet<string>): string {
  return `messages[${index}]: an assistant message with 'tool_calls' must be followed by a tool message for each of them; missing: ${[...open].join(', ')}`
}

const toolName = /^[A-Za-z0-9_-]{1,64}$/

const atRoot = ['oneOf', 'anyOf', 'allOf', 'enum', 'not', '$ref']

/** What OpenAI and Anthropic refuse of the parameters of a function. */
function parametersProblem(
  parameters: ToolDefinition['function']['parameters'],
): string | undefined {
  if (parameters === undefined) return undefined
  if (parameters['type'] !== 'object')
    return `schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(parameters['type'] ?? null)}'`
  if (!isRecord(parameters['properties'])) return 'In context=(), object schema missing properties.'
  const choice = atRoot.find((key) => key in parameters)
  return choice === undefined
    ? undefined
    : `schema must have type 'object' and not have '${choice}' at the top level.`
}

function toolsProblem(tools: readonly ToolDefinition[]): string | undefined {
  const seen = new Set<string>()
  for (const [index, tool] of tools.entries()) {
    const name = tool.function?.name
    if (typeof name !== 'string' || !toolName.test(name)) {
      return `tools[${index}].function.name: expected ^[A-Za-z0-9_-]{1,64}$, got ${JSON.stringify(name)}`
    }
    const problem = parametersProblem(tool.function.parameters)
    if (problem !== undefined) return `Invalid schema for function '${name}': ${problem}`
    if (seen.has(name)) return `tools[${index}].function.name: '${name}' is listed twice`
    seen.add(name)
  }
  return undefined
}
