import type { Counted, Json, Message, ModelCall } from '@amodal/sdk'
import { assetOf, isTextType, type FilePart } from '@amodal/sdk/loop'

/**
 * Bytes of UTF-8 that a token has at least, as estimates go: most texts have more, so that a budget
 * errs on the safe side.
 */
const BYTES_PER_TOKEN = 3
/** Of an image or another file. */
const FILE_TOKENS = 2_000
/** What a provider adds around a message, each result and the beginning of its reply, at most. */
const FRAME_TOKENS = 8

/** An estimate. */
export const tokensOf = (text: string): number =>
  Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)

const overheads = new WeakMap<ModelCall['tools'], number>()

/**
 * Tokens that a call sends: what its provider counted last, and an estimate of what came since.
 * Budgets need it before the call; afterwards the provider's own number counts.
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
        // what a model sent, read from JSON
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

/** A text is sent as it is; of anything else a provider makes what it likes. */
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
