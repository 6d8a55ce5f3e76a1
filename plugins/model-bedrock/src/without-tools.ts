import type { LanguageModel, Message } from '@amodal/sdk'

type CallOptions = Parameters<LanguageModel['doStream']>[0]
type ResultPart = Extract<
  Extract<Message, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>

/**
 * A call without tools whose conversation has calls of tools: Converse refuses those without a list
 * of tools, and has no choice of `none`. They are written out as texts, so that the model knows
 * what was found.
 */
export function withoutTools(options: CallOptions): CallOptions {
  const hasTools = (options.tools?.length ?? 0) > 0 && options.toolChoice?.type !== 'none'
  if (hasTools || !options.prompt.some(({ role }) => role === 'tool')) return options
  return { ...options, prompt: options.prompt.map(inWords) }
}

function inWords(message: Message): Message {
  const { providerOptions } = message
  const marks = providerOptions && { providerOptions }
  switch (message.role) {
    case 'tool':
      return {
        role: 'user',
        content: message.content.flatMap((part) =>
          part.type === 'tool-result' ? [{ type: 'text', text: resultInWords(part) }] : [],
        ),
        ...marks,
      }
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content.map((part) =>
          part.type === 'tool-call'
            ? { type: 'text', text: `[Called ${part.toolName}: ${JSON.stringify(part.input)}]` }
            : part,
        ),
        ...marks,
      }
    case 'system':
    case 'user':
      return message
  }
}

function resultInWords({ toolName, output }: ResultPart): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return `[Result of ${toolName}: ${output.value}]`
    case 'execution-denied':
      return `[Result of ${toolName}: denied${output.reason === undefined ? '' : `, ${output.reason}`}]`
    case 'json':
    case 'error-json':
      return `[Result of ${toolName}: ${JSON.stringify(output.value)}]`
    case 'content':
      return `[Result of ${toolName}: ${output.value.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n')}]`
  }
}
