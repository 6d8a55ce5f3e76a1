import { err, ok, type AssetInput, type Failure, type Result } from '@amodal/sdk'
import type { OfferedTools } from './client-tools.ts'
import { badParameter } from './openai-error.ts'
import type { RequestedFormat } from './response-format.ts'

/** What came of a call that was given to the client. */
export interface ToolOutput {
  readonly callId: string
  readonly output: string
}

/** What a request says, whichever of the two APIs it is written for. */
export interface Incoming extends OfferedTools {
  /** Of `system` and `developer` messages, and of `instructions`. */
  readonly instructions: string
  /** Lines of the conversation before, for a session that has none of it. */
  readonly earlier: readonly string[]
  readonly text: string
  readonly assets: readonly AssetInput[]
  readonly outputs: readonly ToolOutput[]
  /** What the answer has to be, where it is not text. */
  readonly format?: RequestedFormat
}

/** A part of a message after it was read. */
export type ContentPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly file: AssetInput }

/** One message or item of a request, in its order. */
export type Said =
  | { readonly kind: 'instructions'; readonly text: string }
  | { readonly kind: 'user'; readonly parts: readonly ContentPart[] }
  | { readonly kind: 'assistant'; readonly text: string }
  /** What the server said beside text, and the client sends again: calls, reasoning. */
  | { readonly kind: 'echo' }
  | ({ readonly kind: 'output' } & ToolOutput)

/**
 * The new part of a conversation: what was said behind the last word of the assistant. Clients send
 * the whole conversation each time; a session has the rest.
 *
 * @param limits `maxMessageChars` of what is new, and of the instructions
 * @param format of the answer; text where it is left out
 */
export function incomingOf(
  said: readonly Said[],
  offered: OfferedTools,
  limits: { readonly maxMessageChars: number },
  format?: RequestedFormat,
): Result<Incoming, Failure> {
  const begins = said.findLastIndex(({ kind }) => kind === 'assistant' || kind === 'echo') + 1
  const spoken = said.findLastIndex(({ kind }) => kind === 'assistant' || kind === 'user') + 1
  const fresh = said.slice(begins)
  const instructions = said
    .flatMap((one) => (one.kind === 'instructions' ? [one.text] : []))
    .join('\n\n')
  const parts = fresh.flatMap((one) => (one.kind === 'user' ? one.parts : []))
  const text = textOf(parts)
  const assets = parts.flatMap((part) => (part.kind === 'file' ? [part.file] : []))
  // Calls and their results may stand by turns.
  const outputs = said.slice(parts.length > 0 ? begins : spoken).flatMap(outputOf)
  if (text.length > limits.maxMessageChars || instructions.length > limits.maxMessageChars)
    return err(badParameter('messages', `at most ${limits.maxMessageChars} characters`))
  if (parts.length === 0 && outputs.length === 0)
    return err(
      badParameter(
        'messages',
        'nothing new is said: the last message must be of the user or of a tool',
      ),
    )
  if (parts.length > 0 && outputs.length > 0)
    return err(
      badParameter(
        'messages',
        'results of tools and a new message: send the results first, the message afterwards',
      ),
    )
  return ok({
    instructions,
    earlier: said.slice(0, begins).flatMap(lineOf),
    text,
    assets,
    outputs,
    ...(format && { format }),
    ...offered,
  })
}

const outputOf = (said: Said): readonly ToolOutput[] => (said.kind === 'output' ? [said] : [])

const textOf = (parts: readonly ContentPart[]): string =>
  parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')

function lineOf(said: Said): readonly string[] {
  switch (said.kind) {
    case 'user':
      return [`user: ${textOf(said.parts)}`]
    case 'assistant':
      return said.text === '' ? [] : [`assistant: ${said.text}`]
    case 'output':
      return [`tool: ${said.output}`]
    case 'echo':
    case 'instructions':
      return []
    default:
      return said satisfies never
  }
}

/** The message of a session that has nothing of the conversation yet. */
export const withEarlier = ({ earlier, text }: Incoming): string =>
  earlier.length === 0
    ? text
    : `What was said before, as the client has it:\n${earlier.join('\n')}\n\nThe message now:\n${text}`
