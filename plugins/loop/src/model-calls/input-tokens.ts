import type { Counted, Json, Message, ModelCall } from '@amodal/sdk'
import { assetOf, isTextType, type FilePart } from '@amodal/sdk/loop'

/**
 * The fewest UTF-8 bytes per token to assume. Most texts have more, so budgets err on the safe
 * side.
 */
const BYTES_PER_TOKEN = 3
/** The estimated tokens of an image or another file. */
const FILE_TOKENS = 2_000
/**
 * The most tokens that a provider adds to a message, to a result and to the beginning of its reply.
 */
const FRAME_TOKENS = 8

/** Estimates the tokens of a text. */
export const tokensOf = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)

const overheads = new WeakMap<ModelCall['tools'], number>()

/**
 * The input tokens of a call: the provider's last count plus an estimate of the messages since.
 * Budgets need it before the call.
 */
export function inputTokens(
  { system, tools, messages }: Pick<ModelCall, 'system' | 'tools' | 'messages'>,
  counted: Counted | undefined,
): number {
  const fresh = messages
    .slice(counted?.messages ?? 0)
    .reduce((sum, message) => sum + messageTokens(message), 0)
  if (counted) return counted.tokens + fresh
  const known = overheads.get(tools) ?? (tools.length === 0 ? 0 : tokensOf(JSON.stringify(tools)))
  overheads.set(tools, known)
  return known + tokensOf(system) + fresh
}

function messageTokens(message: Message): number {
  if (message.role === 'system') return FRAME_TOKENS + tokensOf(message.content)
  return message.content.reduce((sum, part) => {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return sum + tokensOf(part.text)
      case 'tool-call':
        // parsed from the JSON of a model
        return sum + tokensOf(part.toolName) + tokensOf(JSON.stringify((part.input as Json) ?? {}))
      case 'tool-result':
        return sum + FRAME_TOKENS + tokensOf(part.toolName) + resultTokens(part.output)
      case 'file':
        return sum + fileTokens(part)
      default:
        return sum
    }
  }, FRAME_TOKENS)
}

/** Text files are sent as text; how providers count other files is not known. */
function fileTokens(part: FilePart): number {
  const file = assetOf(part)
  return file && isTextType(file.mediaType) ? Math.ceil(file.bytes / BYTES_PER_TOKEN) : FILE_TOKENS
}

function resultTokens(
  output: Extract<
    Extract<Message, { role: 'tool' }>['content'][number],
    { type: 'tool-result' }
  >['output'],
): number {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return tokensOf(output.value)
    case 'json':
    case 'error-json':
      return tokensOf(JSON.stringify(output.value))
    case 'content':
      return output.value.reduce(
        (sum, part) => sum + (part.type === 'text' ? tokensOf(part.text) : FILE_TOKENS),
        0,
      )
    case 'execution-denied':
      return tokensOf(output.reason ?? '')
  }
}
