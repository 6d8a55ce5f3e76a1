import type { JsonObject } from '@amodal/sdk'
import {
  reply,
  type ChatCompletionRequest,
  type Reply,
  type ScriptedToolCall,
} from '@amodal/sdk/testing'

/** A model that makes the calls that the person writes as JSON, and then says what came of them. */
export const told = (request: ChatCompletionRequest): Reply => {
  const last = request.messages.at(-1)
  if (last?.role === 'tool') return reply.text('Done.')
  return reply.toolCalls(JSON.parse(textOf(last)) as ScriptedToolCall[])
}

/** A message for it. */
export const calls = (...args: readonly JsonObject[]): string =>
  JSON.stringify(args.map((one) => ({ name: 'request', arguments: one })))

function textOf(message: ChatCompletionRequest['messages'][number] | undefined): string {
  const { content } = message ?? {}
  const text =
    typeof content === 'string'
      ? content
      : (content ?? []).map((part) => ('text' in part ? part.text : '')).join('')
  return text.split('\n\n<context>')[0] ?? ''
}
