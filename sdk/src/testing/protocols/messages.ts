import {
  argumentPieces,
  argumentsText,
  callId,
  finishReasonOf,
  scriptedUsage,
} from '../model-frames.ts'
import {
  type ChatMessage,
  checkedRequest,
  isRecord,
  type MessagePart,
  parseJson,
  type ToolCallMessage,
  type ToolDefinition,
} from '../model-protocol.ts'
import type { Answer, FinishReason, ScriptedError } from '../model-reply.ts'
import { fieldsOf, listOf, textsOf } from './fields.ts'
import type { FrameContext, Frames, ModelProtocol, ReadRequest } from './protocol.ts'

const STOP: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}
const KINDS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const errorOf = ({ type, message }: ScriptedError, kind = 'api_error'): object => ({
  type: 'error',
  error: { type: type ?? kind, message },
})

/**
 * Anthropic's messages. Source: its API reference, "Create a Message" and "Streaming messages".
 */
export const messages: ModelProtocol = {
  name: 'messages',
  path: /^\/v1\/messages$/,
  read: (body, { headers }) =>
    headers['anthropic-version'] === undefined
      ? { ok: false, problem: 'anthropic-version: header is required' }
      : read(body),
  stream,
  body: (answer, context) =>
    JSON.stringify({
      ...head(answer, context),
      content: wholeContent(answer, context),
      stop_reason: STOP[finishReasonOf(answer)],
      usage: usageOf(answer),
    }),
  refusal: (error, status) => errorOf(error, KINDS[status]),
  failure: (error) => event('error', errorOf(error)),
  broken:
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\n\n',
}

function head(answer: Answer, { nonce, model }: FrameContext): object {
  const usage = { ...usageOf(answer), output_tokens: 1 }
  return {
    id: `msg_${nonce}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  }
}

function usageOf(answer: Answer): object {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens } = scriptedUsage(answer)
  return {
    input_tokens: promptTokens - cachedTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
  }
}

function stream(answer: Answer, context: FrameContext): Frames {
  const { thought, chunks, toolCalls } = answer
  let index = 0
  const block = (at: number, start: object, deltas: readonly object[]): readonly string[] => {
    const pieces = deltas.map((delta) => event('content_block_delta', { index: at, delta }))
    return [
      event('content_block_start', { index: at, content_block: start }),
      ...pieces,
      event('content_block_stop', { index: at }),
    ]
  }
  const thinking = thought
    ? block(index++, { type: 'thinking', thinking: '', signature: '' }, [
        { type: 'thinking_delta', thinking: thought.text },
        ...(thought.signature === undefined
          ? []
          : [{ type: 'signature_delta', signature: thought.signature }]),
      ])
    : []
  const text =
    chunks.length === 0
      ? []
      : block(
          index++,
          { type: 'text', text: '' },
          chunks.map((chunk) => ({ type: 'text_delta', text: chunk })),
        )
  const calls = toolCalls.map((call, at) =>
    block(
      index++,
      { type: 'tool_use', id: call.id ?? callId(context.nonce, at), name: call.name, input: {} },
      argumentPieces(call).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    ),
  )
  return {
    prologue:
      event('message_start', { message: head(answer, context) }) +
      event('ping') +
      thinking.join(''),
    deltas: [
      ...withEdges(text),
      ...calls.flatMap(([begin = '', ...rest]) => [begin, ...withEdges(['', ...rest])]),
    ],
    epilogue:
      event('message_delta', {
        delta: { stop_reason: STOP[finishReasonOf(answer)], stop_sequence: null },
        usage: { output_tokens: scriptedUsage(answer).completionTokens },
      }) + event('message_stop'),
  }
}

/** One for each piece: the block begins with its first one, and ends with its last. */
function withEdges([begin = '', ...rest]: readonly string[]): readonly string[] {
  const end = rest.at(-1) ?? ''
  const pieces = rest.slice(0, -1)
  if (pieces.length === 0) return begin + end === '' ? [] : [begin + end]
  return pieces.map(
    (piece, at) => (at === 0 ? begin : '') + piece + (at === pieces.length - 1 ? end : ''),
  )
}

function wholeContent(
  { thought, chunks, toolCalls }: Answer,
  { nonce }: FrameContext,
): readonly object[] {
  const text = chunks.join('')
  return [
    ...(thought
      ? [{ type: 'thinking', thinking: thought.text, signature: thought.signature ?? '' }]
      : []),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...toolCalls.map((call, at) => ({
      type: 'tool_use',
      id: call.id ?? callId(nonce, at),
      name: call.name,
      input: parseJson(argumentsText(call)),
    })),
  ]
}

function read(text: string): ReadRequest {
  const body = parseJson(text)
  if (!isRecord(body) || typeof body.model !== 'string' || !Array.isArray(body.messages))
    return { ok: false, problem: 'body: expected a JSON object with model and messages' }
  if (typeof body.max_tokens !== 'number')
    return { ok: false, problem: 'max_tokens: Field required' }
  if (fieldsOf(body.messages[0]).role !== 'user')
    return { ok: false, problem: 'messages.0: the first message must have the role user' }
  const system = textsOf(body.system)
  const messages: ChatMessage[] = system === '' ? [] : [{ role: 'system', content: system }]
  for (const [at, message] of listOf(body.messages).entries()) {
    const problem = add(messages, fieldsOf(message), `messages.${at}`)
    if (problem !== undefined) return { ok: false, problem }
  }
  const tools = listOf(body.tools)
    .map(fieldsOf)
    .map((tool): ToolDefinition => ({
      type: 'function',
      function: {
        name: String(tool.name),
        description: String(tool.description),
        parameters: fieldsOf(tool.input_schema),
      },
    }))
  const toolChoice = fieldsOf(body.tool_choice).type
  const checked = checkedRequest({
    ...body,
    model: body.model,
    messages,
    ...(tools.length > 0 && { tools }),
    ...(typeof toolChoice === 'string' && { tool_choice: toolChoice }),
  })
  return checked.ok ? { ...checked, streaming: body.stream === true } : checked
}

/** Adds what a message comes to; returns what it is refused for. */
function add(
  messages: ChatMessage[],
  { role, content }: Readonly<Record<string, unknown>>,
  where: string,
): string | undefined {
  const blocks =
    typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(fieldsOf)
  if (blocks.length === 0 || blocks.some(({ type, text }) => type === 'text' && text === ''))
    return `${where}.content: text content blocks must be non-empty`
  if (blocks.some(({ type, signature }) => type === 'thinking' && !signature))
    return `${where}.content: thinking blocks must have the signature they came with`
  const parts = blocks.flatMap((block): readonly MessagePart[] => {
    if (block.type === 'text') return [{ type: 'text', text: String(block.text) }]
    const { media_type: type, data } = fieldsOf(block.source)
    return block.type === 'image'
      ? [{ type: 'image_url', image_url: { url: `data:${String(type)};base64,${String(data)}` } }]
      : []
  })
  if (role === 'assistant') {
    const calls = blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }): ToolCallMessage => ({
        id: String(id),
        type: 'function',
        function: { name: String(name), arguments: JSON.stringify(input) },
      }))
    messages.push({ role, content: parts, ...(calls.length > 0 && { tool_calls: calls }) })
    return undefined
  }
  const results = blocks.filter(({ type }) => type === 'tool_result')
  if (blocks.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
    return `${where}.content: tool_result blocks must come first`
  for (const { tool_use_id: id, content: output } of results)
    messages.push({ role: 'tool', tool_call_id: String(id), content: textsOf(output) })
  if (parts.length > 0) messages.push({ role: 'user', content: parts })
  return undefined
}
