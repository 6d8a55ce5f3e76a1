import { err, type Failure, type Result, ok } from '@amodal/sdk'
import { z } from 'zod'
import { offeredTools } from './client-tools.ts'
import { fileId, fileIn, filePart, fileUrl, plainText, textPart } from './content.ts'
import { incomingOf, type Incoming, type Said } from './incoming.ts'
import { responseFormat } from './response-format.ts'
import {
  functionTool,
  ignored,
  isEmpty,
  metadata,
  misfit,
  REFUSED_TOOL_CHOICE,
  refuseUnsupported,
  type RefusedTable,
} from './parameters.ts'

export interface WireLimits {
  readonly maxMessageChars: number
}

const NO_LOGPROBS = 'the agent may answer with several model calls'
const REFUSED: RefusedTable = {
  n: { why: 'an agent answers once', harmless: (value) => value === 1 },
  logprobs: { why: NO_LOGPROBS, harmless: isEmpty },
  top_logprobs: { why: NO_LOGPROBS, harmless: isEmpty },
  logit_bias: { why: 'the agent has its own model settings', harmless: isEmpty },
  stop: { why: 'the agent decides where it ends', harmless: isEmpty },
  audio: { why: 'answers are text' },
  modalities: {
    why: 'answers are text',
    harmless: (value) => Array.isArray(value) && value.every((one) => one === 'text'),
  },
  prediction: { why: 'the agent has its own model settings' },
  web_search_options: { why: 'the agent has its own tools' },
  functions: { why: 'use tools' },
  function_call: { why: 'use tools' },
  tool_choice: REFUSED_TOOL_CHOICE,
}

export const isType = (value: unknown, type: string): boolean =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === type

const message = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer']), content: plainText('text') }),
  z.object({
    role: z.literal('user'),
    content: z.union([
      z.string().transform((text) => [textPart(text)]),
      z.array(
        z.discriminatedUnion('type', [
          z
            .object({ type: z.literal('text'), text: z.string() })
            .transform(({ text }) => textPart(text)),
          z
            .object({
              type: z.literal('image_url'),
              image_url: z.object({ url: fileUrl }),
            })
            .transform(({ image_url: { url } }) => filePart(url)),
          z
            .object({
              type: z.literal('file'),
              file: z.object({
                file_data: fileUrl.nullish(),
                file_id: fileId.nullish(),
                filename: z.string().max(500).nullish(),
              }),
            })
            .transform(({ file: { file_data: data, file_id: id, filename } }, context) =>
              fileIn([data, id], filename, context),
            ),
        ]),
      ),
    ]),
  }),
  z.object({ role: z.literal('assistant'), content: plainText('text', 'refusal').nullish() }),
  z.object({
    role: z.literal('tool'),
    tool_call_id: z.string().max(300),
    content: plainText('text'),
  }),
])

const schema = z.strictObject({
  model: z.string().min(1).max(200),
  messages: z.array(message).min(1).max(2_000),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().nullish(), include_obfuscation: z.unknown() })
    .partial()
    .nullish(),
  user: z.string().max(300).nullish(),
  metadata,
  store: z.boolean().nullish(),
  tools: z
    .array(z.object({ type: z.literal('function'), function: functionTool }))
    .max(128)
    .nullish(),
  tool_choice: z.string().nullish(),
  response_format: responseFormat,
  parallel_tool_calls: z.boolean().nullish(),
  ...ignored(...Object.keys(REFUSED).filter((name) => name !== 'tool_choice')),
  ...ignored(
    'temperature',
    'top_p',
    'frequency_penalty',
    'presence_penalty',
    'seed',
    'max_tokens',
    'max_completion_tokens',
    'reasoning_effort',
    'verbosity',
    'service_tier',
    'safety_identifier',
    'prompt_cache_key',
    'prompt_cache_retention',
  ),
})

/** A request for a chat completion. */
export interface ChatCompletionRequest {
  readonly model: string
  readonly incoming: Incoming
  /** How the client calls the conversation. */
  readonly thread: string | undefined
  readonly store: boolean
  readonly stream: boolean
  readonly includeUsage: boolean
}

/** @returns `VALIDATION_ERROR` that names the parameter */
export function readChatRequest(
  body: unknown,
  limits: WireLimits,
): Result<ChatCompletionRequest, Failure> {
  const known = refuseUnsupported(body, REFUSED)
  if (!known.ok) return known
  const read = schema.safeParse(known.value)
  if (!read.success) return err(misfit(read.error))
  const { model, messages, tools, user, store, stream, metadata: meta } = read.data
  const offered = offeredTools(
    (tools ?? []).map((tool) => tool.function),
    {
      parallel: read.data.parallel_tool_calls !== false,
      none: read.data.tool_choice === 'none',
    },
  )
  const incoming = incomingOf(
    messages.map(saidOf),
    offered,
    limits,
    read.data.response_format ?? undefined,
  )
  if (!incoming.ok) return incoming
  return ok({
    model,
    incoming: incoming.value,
    thread: meta?.['session_id'] ?? user ?? undefined,
    store: store !== false,
    stream: stream === true,
    includeUsage: read.data.stream_options?.include_usage === true,
  })
}

function saidOf(one: z.output<typeof message>): Said {
  switch (one.role) {
    case 'system':
    case 'developer':
      return { kind: 'instructions', text: one.content }
    case 'user':
      return { kind: 'user', parts: one.content }
    case 'assistant':
      return { kind: 'assistant', text: one.content ?? '' }
    case 'tool':
      return { kind: 'output', callId: one.tool_call_id, output: one.content }
    default:
      return one satisfies never
  }
}
