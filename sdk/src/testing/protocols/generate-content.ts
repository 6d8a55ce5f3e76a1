import { messageOf, trySync } from '@amodal/kernel'
import { parseExact } from '../../data/exact-number.ts'
import { argumentsText, callId, finishReasonOf, frame, scriptedUsage } from '../model-frames.ts'
import {
  type ChatMessage,
  checkedRequest,
  isRecord,
  type MessagePart,
  parseJson,
  type ToolCallMessage,
  type ToolDefinition,
} from '../model-protocol.ts'
import type { Answer, FinishReason, ScriptedError, ScriptedToolCall } from '../model-reply.ts'
import { fieldsOf, listOf, textsOf } from './fields.ts'
import type { FrameContext, Frames, ModelProtocol, ReadRequest } from './protocol.ts'

/** Of Gemini's own API, and of Vertex AI with a project or without. */
const PATH =
  /^\/v1(?:beta)?(?:\/projects\/[^/]+\/locations\/[^/]+)?(?:\/publishers\/google)?\/models\/([^/:]+):(stream)?generateContent$/i
const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
}
const STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

const errorOf = ({ message, type }: ScriptedError, code: number): object => ({
  error: { code, message, status: type ?? STATUS[code] ?? 'UNKNOWN' },
})

/**
 * Google's generateContent: a call comes in one piece, as an object. Source: the Gemini API
 * reference, "models.streamGenerateContent".
 */
export const generateContent: ModelProtocol = {
  name: 'generateContent',
  path: PATH,
  read: (body, { path }) => read(body, PATH.exec(path.split('?', 1)[0] ?? '') ?? []),
  stream,
  body: (answer, context) =>
    JSON.stringify(
      chunk(
        context,
        [...thoughtOf(answer), { text: answer.chunks.join('') }, ...callsOf(answer, context)],
        finishOf(answer),
        usageOf(answer),
      ),
    ),
  refusal: errorOf,
  failure: (error) => frame(JSON.stringify(errorOf(error, 503))),
  broken: frame('{"candidates":[{"content":{"parts":[{"text":"'),
}

function chunk(
  { nonce, model }: FrameContext,
  parts: readonly object[],
  finishReason?: string,
  usageMetadata?: object,
): object {
  return {
    candidates: [
      { content: { parts, role: 'model' }, ...(finishReason && { finishReason }), index: 0 },
    ],
    ...(usageMetadata && { usageMetadata }),
    modelVersion: model,
    responseId: nonce,
  }
}

function stream(answer: Answer, context: FrameContext): Frames {
  const one = (...parts: readonly object[]): string => frame(JSON.stringify(chunk(context, parts)))
  return {
    prologue: thoughtOf(answer)
      .map((part) => one(part))
      .join(''),
    deltas: [
      ...answer.chunks.map((text) => one({ text })),
      ...callsOf(answer, context).map((part) => one(part)),
    ],
    epilogue: frame(
      JSON.stringify(chunk(context, [{ text: '' }], finishOf(answer), usageOf(answer))),
    ),
  }
}

const thoughtOf = ({ thought }: Answer): readonly object[] =>
  thought ? [{ text: thought.text, thought: true }] : []

/** The signature of a thought comes with the first call that it led to. */
function callsOf({ toolCalls, thought }: Answer, { nonce }: FrameContext): readonly object[] {
  return toolCalls.map((call, at) => ({
    functionCall: {
      id: call.id ?? callId(nonce, at),
      name: call.name,
      args: argumentsOf(call) ?? {},
    },
    ...(at === 0 && thought?.signature !== undefined && { thoughtSignature: thought.signature }),
  }))
}

/** With the digits that they are scripted with. */
function argumentsOf(call: ScriptedToolCall): unknown {
  const parsed = trySync(() => parseExact(argumentsText(call)), messageOf)
  return parsed.ok ? parsed.value : undefined
}

/** Calls that cannot be read are not handed on. */
const isMalformed = (call: ScriptedToolCall): boolean => argumentsOf(call) === undefined
const finishOf = (answer: Answer): string =>
  answer.toolCalls.some(isMalformed) ? 'MALFORMED_FUNCTION_CALL' : FINISH[finishReasonOf(answer)]

function usageOf(answer: Answer): object {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = scriptedUsage(answer)
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: completionTokens - reasoningTokens,
    totalTokenCount: promptTokens + completionTokens,
    ...(cachedTokens > 0 && { cachedContentTokenCount: cachedTokens }),
    ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
  }
}

function read(text: string, [, model = '', streaming]: readonly string[]): ReadRequest {
  const body = parseJson(text)
  const contents = isRecord(body) ? listOf(body.contents).map(fieldsOf) : []
  if (!isRecord(body) || contents.length === 0)
    return { ok: false, problem: 'body: expected a JSON object with contents' }
  if (contents[0]?.role !== 'user')
    return { ok: false, problem: 'contents[0].role: a conversation begins with the user' }
  const conversation = messagesOf(contents)
  if (typeof conversation === 'string') return { ok: false, problem: conversation }
  const system = textsOf(fieldsOf(body.systemInstruction).parts)
  const mode = fieldsOf(fieldsOf(body.toolConfig).functionCallingConfig).mode
  const checked = checkedRequest({
    ...body,
    model,
    messages: system === '' ? conversation : [{ role: 'system', content: system }, ...conversation],
    tools: toolsOf(body.tools),
    ...(typeof mode === 'string' && { tool_choice: mode.toLowerCase() }),
  })
  return checked.ok ? { ...checked, streaming: streaming !== undefined } : checked
}

type Fields = Readonly<Record<string, unknown>>

/** The messages that contents come to, or what they are refused for. */
function messagesOf(contents: readonly Fields[]): readonly ChatMessage[] | string {
  const messages: ChatMessage[] = []
  let open: readonly ToolCallMessage[] = []
  for (const [at, { role, parts: given }] of contents.entries()) {
    const parts = listOf(given).map(fieldsOf)
    if (parts.length === 0) return `contents[${at}].parts: must not be empty`
    if (role === 'model') {
      open = parts.flatMap((part, n) =>
        part.functionCall ? [callOf(fieldsOf(part.functionCall), `call_${at}_${n}`)] : [],
      )
      const calls = open.length > 0 ? { tool_calls: open } : {}
      messages.push({ role: 'assistant', content: shownParts(parts), ...calls })
      continue
    }
    for (const { functionResponse } of parts)
      if (functionResponse !== undefined) open = addResponse(messages, functionResponse, open)
    const shown = shownParts(parts)
    if (shown.length > 0) messages.push({ role: 'user', content: shown })
  }
  return messages
}

/** Adds the result of one of the open calls; returns those that are still open. */
function addResponse(
  messages: ChatMessage[],
  given: unknown,
  open: readonly ToolCallMessage[],
): readonly ToolCallMessage[] {
  const { id, name, response } = fieldsOf(given)
  const call = open.find((one) => one.function.name === name && (id === undefined || id === one.id))
  const content = JSON.stringify(response)
  messages.push({ role: 'tool', tool_call_id: call?.id ?? String(name), content })
  return open.filter((one) => one !== call)
}

const toolsOf = (given: unknown): readonly ToolDefinition[] =>
  listOf(given)
    .flatMap((one) => listOf(fieldsOf(one).functionDeclarations))
    .map(fieldsOf)
    .map((tool) => ({
      type: 'function',
      function: {
        name: String(tool.name),
        description: String(tool.description),
        parameters: fieldsOf(tool.parametersJsonSchema ?? tool.parameters),
      },
    }))

function callOf(
  { id, name, args }: Readonly<Record<string, unknown>>,
  defaultId: string,
): ToolCallMessage {
  return {
    id: typeof id === 'string' ? id : defaultId,
    type: 'function',
    function: { name: String(name), arguments: JSON.stringify(args) },
  }
}

function shownParts(parts: readonly Readonly<Record<string, unknown>>[]): readonly MessagePart[] {
  return parts.flatMap((part): readonly MessagePart[] => {
    if (typeof part.text === 'string')
      return part.thought === true ? [] : [{ type: 'text', text: part.text }]
    const { mimeType, data } = fieldsOf(part.inlineData)
    return part.inlineData
      ? [
          {
            type: 'image_url',
            image_url: { url: `data:${String(mimeType)};base64,${String(data)}` },
          },
        ]
      : []
  })
}
