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
import { eventFrame } from './event-frame.ts'
import { fieldsOf, listOf, textsOf } from './fields.ts'
import type { FrameContext, Frames, ModelProtocol, ReadRequest } from './protocol.ts'

const PATH = /^(?:\/v1)?\/model\/([^/]+)\/converse(-stream)?$/
const STOP: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'content_filtered',
}

const NO_TOOLS =
  'The toolConfig field must be defined when using toolUse and toolResult content blocks.'

const event = (type: string, fields: object): string =>
  eventFrame(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify({ ...fields, p: 'abcdefghijk' }), // padding, as the service sends it
  )

const exception = ({ message, type = 'internalServerException' }: ScriptedError): string =>
  eventFrame(
    {
      ':exception-type': type.endsWith('Exception') ? type : 'serviceUnavailableException',
      ':content-type': 'application/json',
      ':message-type': 'exception',
    },
    JSON.stringify({ message }),
  )

const goodFrame = event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'x' } })

/** Amazon Bedrock's ConverseStream. Source: its API reference, "ConverseStream". */
export const converse: ModelProtocol = {
  name: 'converse',
  path: PATH,
  binary: { contentType: 'application/vnd.amazon.eventstream' },
  read: (body, { path }) => read(body, PATH.exec(path.split('?', 1)[0] ?? '') ?? []),
  stream,
  body: (answer, context) =>
    JSON.stringify({
      output: { message: { role: 'assistant', content: wholeContent(answer, context) } },
      stopReason: STOP[finishReasonOf(answer)],
      usage: usageOf(answer),
      metrics: { latencyMs: 7 },
    }),
  refusal: ({ message, type }) => ({ message, ...(type !== undefined && { type }) }),
  failure: exception,
  // The same length with other content, so that its checksum is not right.
  broken: goodFrame.replace('"text":"x"', '"text":"y"'),
}

function usageOf(answer: Answer): object {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens } = scriptedUsage(answer)
  return {
    inputTokens: promptTokens - cachedTokens - cacheWriteTokens,
    outputTokens: completionTokens,
    totalTokens: promptTokens + completionTokens,
    cacheReadInputTokens: cachedTokens,
    cacheWriteInputTokens: cacheWriteTokens,
  }
}

function stream(answer: Answer, { nonce }: FrameContext): Frames {
  const { thought, chunks, toolCalls } = answer
  let contentBlockIndex = 0
  const delta = (index: number, part: object): string =>
    event('contentBlockDelta', { contentBlockIndex: index, delta: part })
  const end = (index: number): string => event('contentBlockStop', { contentBlockIndex: index })

  let thinking = ''
  if (thought) {
    const index = contentBlockIndex++
    const { text, signature } = thought
    thinking =
      delta(index, { reasoningContent: { text } }) +
      (signature === undefined ? '' : delta(index, { reasoningContent: { signature } })) +
      end(index)
  }
  const textIndex = chunks.length === 0 ? 0 : contentBlockIndex++
  const text = chunks.map(
    (chunk, at) =>
      delta(textIndex, { text: chunk }) + (at === chunks.length - 1 ? end(textIndex) : ''),
  )
  const calls = toolCalls.flatMap((call, n) => {
    const index = contentBlockIndex++
    const toolUse = { toolUseId: call.id ?? callId(nonce, n), name: call.name }
    const start = event('contentBlockStart', { contentBlockIndex: index, start: { toolUse } })
    const pieces = argumentPieces(call).map((input) => delta(index, { toolUse: { input } }))
    return [start, ...pieces.slice(0, -1), (pieces.at(-1) ?? '') + end(index)]
  })
  return {
    prologue: event('messageStart', { role: 'assistant' }) + thinking,
    deltas: [...text, ...calls],
    epilogue:
      event('messageStop', { stopReason: STOP[finishReasonOf(answer)] }) +
      event('metadata', { usage: usageOf(answer), metrics: { latencyMs: 7 } }),
  }
}

function wholeContent(
  { thought, chunks, toolCalls }: Answer,
  { nonce }: FrameContext,
): readonly object[] {
  const text = chunks.join('')
  return [
    ...(thought ? [{ reasoningContent: { reasoningText: thought } }] : []),
    ...(text === '' ? [] : [{ text }]),
    ...toolCalls.map((call, n) => ({
      toolUse: {
        toolUseId: call.id ?? callId(nonce, n),
        name: call.name,
        input: parseJson(argumentsText(call)),
      },
    })),
  ]
}

function read(text: string, [, id = '', streaming]: readonly string[]): ReadRequest {
  const body = parseJson(text)
  const given = isRecord(body) ? listOf(body.messages).map(fieldsOf) : []
  if (!isRecord(body) || given.length === 0)
    return { ok: false, problem: 'body: expected a JSON object with messages' }
  const messages = messagesOf(given, textsOf(body.system))
  if (typeof messages === 'string') return { ok: false, problem: messages }
  const { tools: specs, toolChoice } = fieldsOf(body.toolConfig)
  const tools = listOf(specs).flatMap(toolOf)
  if (tools.length === 0 && messages.some(({ role }) => role === 'tool'))
    return { ok: false, problem: NO_TOOLS }
  const checked = checkedRequest({
    ...body,
    model: decodeURIComponent(id),
    messages,
    ...(tools.length > 0 && { tools }),
    ...(isRecord(toolChoice) && { tool_choice: Object.keys(toolChoice)[0] }),
  })
  return checked.ok ? { ...checked, streaming: streaming !== undefined } : checked
}

/** The messages that a conversation comes to, or what it is refused for. */
function messagesOf(
  given: readonly Readonly<Record<string, unknown>>[],
  system: string,
): readonly ChatMessage[] | string {
  const messages: ChatMessage[] = system === '' ? [] : [{ role: 'system', content: system }]
  for (const [at, message] of given.entries()) {
    const problem = add(messages, message, at)
    if (problem !== undefined) return problem
  }
  return messages
}

function toolOf(given: unknown): readonly ToolDefinition[] {
  const { name, description, inputSchema } = fieldsOf(fieldsOf(given).toolSpec)
  if (typeof name !== 'string') return []
  const parameters = fieldsOf(fieldsOf(inputSchema).json)
  return [
    {
      type: 'function',
      function: { name, description: String(description), parameters },
    },
  ]
}

/** Adds what a message comes to; returns what it is refused for. */
function add(
  messages: ChatMessage[],
  { role, content }: Readonly<Record<string, unknown>>,
  at: number,
): string | undefined {
  const blocks = listOf(content).map(fieldsOf)
  if (role !== (at % 2 === 0 ? 'user' : 'assistant'))
    return `messages.${at}.role: A conversation must alternate between user and assistant roles, and start with a user message.`
  if (blocks.length === 0 || blocks.some(({ text }) => typeof text === 'string' && !text.trim()))
    return `messages.${at}.content: The text field in the ContentBlock object is blank.`
  const parts = blocks.flatMap(partOf)
  if (role === 'assistant') {
    const calls = blocks.flatMap(({ toolUse }) => (toolUse ? [callOf(fieldsOf(toolUse))] : []))
    messages.push({ role, content: parts, ...(calls.length > 0 && { tool_calls: calls }) })
    return undefined
  }
  for (const { toolResult } of blocks) {
    if (!toolResult) continue
    const { toolUseId, content: result } = fieldsOf(toolResult)
    messages.push({
      role: 'tool',
      tool_call_id: String(toolUseId),
      content: JSON.stringify(result),
    })
  }
  if (parts.length > 0) messages.push({ role: 'user', content: parts })
  return undefined
}

const callOf = ({
  toolUseId,
  name,
  input,
}: Readonly<Record<string, unknown>>): ToolCallMessage => ({
  id: String(toolUseId),
  type: 'function',
  function: { name: String(name), arguments: JSON.stringify(input) },
})

function partOf({ text, image }: Readonly<Record<string, unknown>>): readonly MessagePart[] {
  if (typeof text === 'string') return [{ type: 'text', text }]
  if (!image) return []
  const { format, source } = fieldsOf(image)
  const url = `data:image/${String(format)};base64,${String(fieldsOf(source).bytes)}`
  return [{ type: 'image_url', image_url: { url } }]
}
