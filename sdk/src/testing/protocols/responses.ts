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
import type { Answer, ScriptedError } from '../model-reply.ts'
import { fieldsOf, listOf, textsOf } from './fields.ts'
import type { FrameContext, Frames, ModelProtocol, ReadRequest } from './protocol.ts'

/** Sequence numbers of events are constant here: no client reads them. */
const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...fields })}\n\n`

/**
 * OpenAI's responses; it stores nothing, so a reference to an item is refused. Source: the OpenAI
 * API reference, "Create a model response" and "Streaming events".
 */
export const responses: ModelProtocol = {
  name: 'responses',
  // With the prefix that Azure has.
  path: /^(?:\/openai)?\/v1\/responses$/,
  read,
  stream,
  body: (answer, context) =>
    JSON.stringify(
      responseOf(
        answer,
        context,
        itemsOf(answer, context).map(({ item }) => item),
      ),
    ),
  refusal: (error) => ({
    error: {
      message: error.message,
      type: error.type ?? 'server_error',
      param: null,
      code: error.code ?? null,
    },
  }),
  failure: (error: ScriptedError) =>
    event('error', {
      code: error.code ?? error.type ?? 'server_error',
      message: error.message,
      param: null,
    }),
  broken:
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","item_id":"msg","delta":"\n\n',
}

interface Item {
  readonly item: object
  readonly empty: object
  readonly id: string
  readonly pieces: readonly ((at: object) => string)[]
}

/** What the answer comes to: items, each with its beginning and the events that fill it. */
function itemsOf({ thought, chunks, toolCalls }: Answer, { nonce }: FrameContext): readonly Item[] {
  const text = chunks.join('')
  const rs = `rs_${nonce}`
  const msg = `msg_${nonce}`
  return [
    ...(thought
      ? [
          {
            id: rs,
            empty: { type: 'reasoning', id: rs, summary: [] },
            item: {
              type: 'reasoning',
              id: rs,
              summary: [{ type: 'summary_text', text: thought.text }],
              encrypted_content: thought.signature ?? null,
            },
            pieces: [
              (at: object) =>
                event('response.reasoning_summary_part.added', {
                  ...at,
                  summary_index: 0,
                  part: { type: 'summary_text', text: '' },
                }) +
                event('response.reasoning_summary_text.delta', {
                  ...at,
                  summary_index: 0,
                  delta: thought.text,
                }) +
                event('response.reasoning_summary_part.done', {
                  ...at,
                  summary_index: 0,
                  part: { type: 'summary_text', text: thought.text },
                }),
            ],
          },
        ]
      : []),
    ...(chunks.length === 0
      ? []
      : [
          {
            id: msg,
            empty: {
              type: 'message',
              id: msg,
              role: 'assistant',
              status: 'in_progress',
              content: [],
            },
            item: {
              type: 'message',
              id: msg,
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
            },
            pieces: chunks.map(
              (delta) => (at: object) =>
                event('response.output_text.delta', {
                  ...at,
                  content_index: 0,
                  delta,
                  logprobs: [],
                }),
            ),
          },
        ]),
    ...toolCalls.map((call, n) => {
      const id = `fc_${nonce}_${n}`
      const named = {
        type: 'function_call',
        id,
        call_id: call.id ?? callId(nonce, n),
        name: call.name,
      }
      return {
        id,
        empty: { ...named, arguments: '', status: 'in_progress' },
        item: { ...named, arguments: argumentsText(call), status: 'completed' },
        pieces: [
          () => '',
          ...argumentPieces(call).map(
            (delta) => (at: object) =>
              event('response.function_call_arguments.delta', { ...at, delta }),
          ),
        ],
      }
    }),
  ]
}

function stream(answer: Answer, context: FrameContext): Frames {
  const begun = {
    ...responseOf(answer, context, []),
    status: 'in_progress',
    usage: null,
    incomplete_details: null,
  }
  const items = itemsOf(answer, context)
  const frames = items.map(({ item, empty, id, pieces }, output_index) => {
    const edges = {
      begin: event('response.output_item.added', { output_index, item: empty }),
      end: event('response.output_item.done', { output_index, item }),
    }
    return pieces.map(
      (piece, at) =>
        (at === 0 ? edges.begin : '') +
        piece({ item_id: id, output_index }) +
        (at === pieces.length - 1 ? edges.end : ''),
    )
  })
  const thinking = answer.thought ? 1 : 0
  const ended = responseOf(
    answer,
    context,
    items.map(({ item }) => item),
  )
  return {
    prologue:
      event('response.created', { response: begun }) +
      event('response.in_progress', { response: begun }) +
      frames.slice(0, thinking).flat().join(''),
    deltas: frames.slice(thinking).flat(),
    epilogue: event(`response.${ended.status}`, { response: ended }),
  }
}

interface ResponseBody {
  readonly status: string
  readonly [field: string]: unknown
}

const INCOMPLETE_REASON: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

function responseOf(
  answer: Answer,
  { nonce, created, model }: FrameContext,
  output: readonly object[],
): ResponseBody {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = scriptedUsage(answer)
  const finish = finishReasonOf(answer)
  const incomplete = INCOMPLETE_REASON[finish]
  return {
    id: `resp_${nonce}`,
    object: 'response',
    created_at: created,
    model,
    output,
    error: null,
    store: false,
    status: incomplete === undefined ? 'completed' : 'incomplete',
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    usage: {
      input_tokens: promptTokens,
      input_tokens_details: { cached_tokens: cachedTokens },
      output_tokens: completionTokens,
      output_tokens_details: { reasoning_tokens: reasoningTokens },
      total_tokens: promptTokens + completionTokens,
    },
  }
}

function read(text: string): ReadRequest {
  const body = parseJson(text)
  if (
    !isRecord(body) ||
    typeof body.model !== 'string' ||
    !(typeof body.input === 'string' || Array.isArray(body.input))
  )
    return { ok: false, problem: 'body: expected a JSON object with model and input' }
  const items =
    typeof body.input === 'string'
      ? [{ role: 'user', content: body.input }]
      : listOf(body.input).map(fieldsOf)
  const messages: ChatMessage[] = []
  for (const [at, item] of items.entries()) {
    const problem = add(messages, item, items[at + 1], `input[${at}]`)
    if (problem !== undefined) return { ok: false, problem }
  }
  const tools = listOf(body.tools)
    .map(fieldsOf)
    .map((tool): ToolDefinition => ({
      type: 'function',
      function: {
        name: String(tool.name),
        description: String(tool.description),
        parameters: fieldsOf(tool.parameters),
      },
    }))
  const checked = checkedRequest({ ...body, model: body.model, messages, tools })
  return checked.ok ? { ...checked, streaming: body.stream === true } : checked
}

/** Adds what an item comes to; returns what it is refused for. */
function add(
  messages: ChatMessage[],
  item: Readonly<Record<string, unknown>>,
  next: Readonly<Record<string, unknown>> | undefined,
  where: string,
): string | undefined {
  switch (item.type ?? 'message') {
    case 'message':
      return addMessage(messages, item, where)
    case 'function_call':
      return addCall(messages, item)
    case 'function_call_output':
      messages.push({
        role: 'tool',
        tool_call_id: String(item.call_id),
        content: textsOf(item.output),
      })
      return undefined
    case 'reasoning':
      return reasoningProblem(item, next, where)
    default:
      return `${where}.type: '${String(item.type)}' is not supported here`
  }
}

function addMessage(
  messages: ChatMessage[],
  { role, content }: Readonly<Record<string, unknown>>,
  where: string,
): string | undefined {
  if (role !== 'system' && role !== 'developer' && role !== 'user' && role !== 'assistant')
    return `${where}.role: is unknown`
  const parts = typeof content === 'string' ? content : listOf(content).map(fieldsOf).flatMap(shown)
  messages.push({ role, content: parts })
  return undefined
}

function addCall(messages: ChatMessage[], item: Readonly<Record<string, unknown>>): undefined {
  const call: ToolCallMessage = {
    id: String(item.call_id),
    type: 'function',
    function: { name: String(item.name), arguments: String(item.arguments) },
  }
  const last = messages.at(-1)
  if (last?.role === 'assistant')
    messages[messages.length - 1] = { ...last, tool_calls: [...(last.tool_calls ?? []), call] }
  else messages.push({ role: 'assistant', tool_calls: [call] })
}

function reasoningProblem(
  item: Readonly<Record<string, unknown>>,
  next: Readonly<Record<string, unknown>> | undefined,
  where: string,
): string | undefined {
  if (!item.encrypted_content)
    return `${where}: item '${String(item.id)}' is not found, since nothing is stored; send it with its encrypted_content`
  const follows =
    next?.type === 'function_call' || next?.type === 'reasoning' || next?.role === 'assistant'
  return follows
    ? undefined
    : `${where}: the item 'reasoning' was provided without its required following item`
}

function shown(part: Readonly<Record<string, unknown>>): readonly MessagePart[] {
  if (part.type === 'input_image')
    return [{ type: 'image_url', image_url: { url: String(part.image_url) } }]
  return typeof part.text === 'string' ? [{ type: 'text', text: part.text }] : []
}
