import type { LanguageModel } from '@amodal/sdk'
import { callsAsText } from '@amodal/sdk/loop'

type CallOptions = Parameters<LanguageModel['doStream']>[0]

/**
 * A call without tools whose conversation has calls of tools: Converse refuses those without a list
 * of tools, and has no choice of `none`. They are written out as texts, so that the model knows
 * what was found.
 */
export function withoutTools(options: CallOptions): CallOptions {
  const hasTools = (options.tools?.length ?? 0) > 0 && options.toolChoice?.type !== 'none'
  if (hasTools || !options.prompt.some(({ role }) => role === 'tool')) return options
  return { ...options, prompt: options.prompt.map(callsAsText) }
}
