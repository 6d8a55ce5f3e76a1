import type { FinishTable } from '@amodal/sdk/model'

/**
 * The finish reasons of chat completions, and those that gateways pass on from other protocols.
 *
 * Sources: the API references of OpenAI, OpenRouter, DeepSeek, Mistral, Zhipu and vLLM.
 */
export const FINISH: FinishTable = {
  stop: 'success',
  tool_calls: 'success',
  function_call: 'success',
  eos: 'success',
  end_turn: 'success',
  stop_sequence: 'success',
  tool_use: 'success',

  length: 'cut',
  model_length: 'cut',
  max_tokens: 'cut',
  max_output_tokens: 'cut',
  model_context_window_exceeded: 'cut',

  content_filter: 'refused',
  refusal: 'refused',
  sensitive: 'refused',
  safety: 'refused',
  recitation: 'refused',
  blocklist: 'refused',
  prohibited_content: 'refused',
  spii: 'refused',

  error: 'failed',
  abort: 'failed',
  cancelled: 'failed',
  network_error: 'failed',
  insufficient_system_resource: 'failed',
  malformed_function_call: 'failed',
  unexpected_tool_call: 'failed',
  other: 'failed',
  unknown: 'failed',
}
