import type { Json, Message, ModelCall } from '@amodal/sdk'
import { assetOf, isTextType, type FilePart } from '@amodal/sdk/loop'

export type ResultPart = Extract<
  Extract<Message, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>

const CHARS_PER_TOKEN = 4
/** Of an image or another file. */
const FILE_TOKENS = 1_500
/** What a provider adds around a message. */
const FRAME_TOKENS = 4

export const tokensOf = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN)
export const charsOf = (tokens: number): number => Math.floor(tokens * CHARS_PER_TOKEN)

/** What the model reads of a result. */
export function resultText({ output }: ResultPart): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value)
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    case 'execution-denied':
      return output.reason ?? ''
  }
}

/** Tokens of a result: its text, and its images. */
export const resultTokens = (part: ResultPart): number =>
  tokensOf(resultText(part).length) +
  (part.output.type === 'content'
    ? part.output.value.filter(({ type }) => type === 'file').length * FILE_TOKENS
    : 0)

/** Tokens of a message, estimated from its characters. */
export function messageTokens(message: Message): number {
  if (message.role === 'system') return FRAME_TOKENS + tokensOf(message.content.length)
  return message.content.reduce((sum, part) => {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return sum + tokensOf(part.text.length)
      case 'tool-call':
        return sum + FRAME_TOKENS + tokensOf(part.toolName.length + inputText(part.input).length)
      case 'tool-result':
        return sum + FRAME_TOKENS + resultTokens(part)
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
  return file && isTextType(file.mediaType) ? tokensOf(file.bytes) : FILE_TOKENS
}

/** Arguments as JSON. */
export const inputText = (input: unknown): string =>
  // what a model sent, read from JSON
  typeof input === 'string' ? input : JSON.stringify((input as Json) ?? {})

const tools = new WeakMap<ModelCall['tools'], number>()

/** Tokens of what goes with every call. The list of tools is one object from turn to turn. */
export function overheadTokens(call: Pick<ModelCall, 'system' | 'tools'>): number {
  const known =
    tools.get(call.tools) ??
    tokensOf(call.tools.length === 0 ? 0 : JSON.stringify(call.tools).length)
  tools.set(call.tools, known)
  return known + tokensOf(call.system.length)
}
