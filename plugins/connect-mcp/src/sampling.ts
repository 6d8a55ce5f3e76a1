import { ellipsis } from '@amodal/sdk/data'
import type { ToolContext } from '@amodal/sdk'
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  SamplingMessage,
} from '@modelcontextprotocol/client'
import type { AskedParams } from './asked-params.ts'
import { UnansweredError } from './call-errors.ts'
import { shown, type Mask } from './untrusted.ts'

export interface SamplingLimits {
  /** Of one answer. */
  readonly tokens: number
  /** Of what one request says. */
  readonly chars: number
}

/** Characters of a request that a person is shown. */
const SHOWN = 1_500

/** What a person is asked before the model is. */
export const samplingQuestion = (params: CreateMessageRequestParams): AskedParams => ({
  message: `it wants to ask the model of this agent, and to have the answer:\n\n${cut(textOf(params))}`,
})

const cut = (text: string): string => ellipsis(text, SHOWN)

/**
 * Asks the model what a server wants to know. It is told the words of the server and nothing else:
 * neither the conversation nor tools.
 */
export async function sampled(
  params: CreateMessageRequestParams,
  server: string,
  ask: NonNullable<ToolContext['ask']>,
  { tokens, chars }: SamplingLimits,
  mask: Mask,
): Promise<CreateMessageResult> {
  const asked = await ask({
    tier: 'main',
    system: `You answer a request of the MCP server "${server}". It is all that you know: no conversation, no tools, nothing of anybody else.`,
    text: shown(textOf(params), chars, mask),
    maxOutputTokens: Math.min(params.maxTokens, tokens),
  })
  if (!asked.ok) throw new UnansweredError(`its request to the model failed: ${asked.error.code}`)
  const { text, finish } = asked.value
  return {
    role: 'assistant',
    model: 'the model of the agent',
    content: { type: 'text', text: mask(text) },
    stopReason: finish === 'length' ? 'maxTokens' : 'endTurn',
  }
}

function textOf({ systemPrompt, messages }: CreateMessageRequestParams): string {
  const [only, ...others] = messages
  const parts =
    only?.role === 'user' && others.length === 0
      ? [wordsOf(only)]
      : messages.map((message) => `[${message.role}]\n${wordsOf(message)}`)
  return [...(systemPrompt === undefined ? [] : [systemPrompt]), ...parts].join('\n\n')
}

const wordsOf = ({ content }: SamplingMessage): string =>
  [content]
    .flat()
    .map((block) => (block.type === 'text' ? block.text : `[${block.type} left out]`))
    .join('\n')
