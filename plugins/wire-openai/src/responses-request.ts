import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { z } from 'zod'
import type { WireLimits } from './chat-request.ts'
import { offeredTools } from './client-tools.ts'
import { fileId, fileIn, fileUrl, plainText, textPart } from './content.ts'
import { incomingOf, type Incoming, type Said } from './incoming.ts'
import { textSettings } from './response-format.ts'
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

const REFUSED: RefusedTable = {
  top_logprobs: { why: 'the agent may answer with several model calls', harmless: isEmpty },
  max_tool_calls: { why: 'the agent has limits of its own' },
  prompt: { why: 'the agent has its own prompt; use instructions' },
  include: {
    why: 'only "reasoning.encrypted_content" is let be; nothing else can be included',
    harmless: (value) =>
      Array.isArray(value) && value.every((one) => one === 'reasoning.encrypted_content'),
  },
  context_management: { why: 'the agent compacts its own history' },
  tool_choice: REFUSED_TOOL_CHOICE,
}

const userParts = z.array(
  z.discriminatedUnion('type', [
    z
      .object({ type: z.literal('input_text'), text: z.string() })
      .transform(({ text }) => textPart(text)),
    z
      .object({
        type: z.literal('input_image'),
        image_url: fileUrl.nullish(),
        file_id: fileId.nullish(),
      })
      .transform(({ image_url: image, file_id: id }, context) =>
        fileIn([image, id], undefined, context),
      ),
    z
      .object({
        type: z.literal('input_file'),
        file_data: fileUrl.nullish(),
        file_url: fileUrl.nullish(),
        file_id: fileId.nullish(),
        filename: z.string().max(500).nullish(),
      })
      .transform(({ file_data: data, file_url: url, file_id: id, filename }, context) =>
        fileIn([data, url, id], filename, context),
      ),
  ]),
)

const isMessage = z.literal('message').optional()
const item = z.union([
  z
    .object({
      type: isMessage,
      role: z.enum(['system', 'developer']),
      content: plainText('input_text'),
    })
    .transform(({ content }): Said => ({ kind: 'instructions', text: content })),
  z
    .object({
      type: isMessage,
      role: z.literal('user'),
      content: z.union([z.string().transform((text) => [textPart(text)]), userParts]),
    })
    .transform(({ content }): Said => ({ kind: 'user', parts: content })),
  z
    .object({
      type: isMessage,
      role: z.literal('assistant'),
      content: plainText('output_text', 'refusal', 'input_text'),
    })
    .transform(({ content }): Said => ({ kind: 'assistant', text: content })),
  z
    .object({
      type: z.literal('function_call_output'),
      call_id: z.string().max(300),
      output: plainText('input_text'),
    })
    .transform(({ call_id: callId, output }): Said => ({ kind: 'output', callId, output })),
  // What the server said itself comes back from clients that keep the conversation.
  z
    .object({ type: z.enum(['function_call', 'reasoning', 'mcp_call', 'item_reference']) })
    .transform((): Said => ({ kind: 'echo' })),
])

const schema = z.strictObject({
  model: z.string().min(1).max(200),
  input: z.union([
    z.string().transform((text): readonly Said[] => [{ kind: 'user', parts: [textPart(text)] }]),
    z.array(item).min(1).max(2_000),
  ]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().max(300).nullish(),
  conversation: z
    .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
    .nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  metadata,
  tools: z
    .array(functionTool.extend({ type: z.literal('function') }))
    .max(128)
    .nullish(),
  tool_choice: z.string().nullish(),
  text: textSettings,
  parallel_tool_calls: z.boolean().nullish(),
  ...ignored(...Object.keys(REFUSED).filter((name) => name !== 'tool_choice')),
  ...ignored(
    'user',
    'temperature',
    'top_p',
    'max_output_tokens',
    'reasoning',
    'truncation',
    'service_tier',
    'safety_identifier',
    'prompt_cache_key',
    'prompt_cache_retention',
    'stream_options',
  ),
})

/** A request for a response. */
export interface ResponseRequest {
  readonly model: string
  readonly incoming: Incoming
  readonly previous: string | undefined
  readonly conversation: string | undefined
  readonly store: boolean
  readonly stream: boolean
  readonly background: boolean
  readonly metadata: Readonly<Record<string, string>>
}

/** @returns `VALIDATION_ERROR` that names the parameter */
export function readResponseRequest(
  body: unknown,
  limits: WireLimits,
): Result<ResponseRequest, Failure> {
  const known = refuseUnsupported(body, REFUSED)
  if (!known.ok) return known
  const read = schema.safeParse(known.value)
  if (!read.success) return err(misfit(read.error))
  const { data } = read
  const offered = offeredTools(data.tools ?? [], {
    parallel: data.parallel_tool_calls !== false,
    none: data.tool_choice === 'none',
  })
  const said: readonly Said[] = data.instructions
    ? [{ kind: 'instructions', text: data.instructions }, ...data.input]
    : data.input
  const incoming = incomingOf(said, offered, limits, data.text?.format ?? undefined)
  if (!incoming.ok) return incoming
  return ok({
    model: data.model,
    incoming: incoming.value,
    previous: data.previous_response_id ?? undefined,
    conversation: data.conversation ?? undefined,
    store: data.store !== false,
    stream: data.stream === true,
    background: data.background === true,
    metadata: data.metadata ?? {},
  })
}
