import type {
  LanguageModelV4FunctionTool, LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4Usage,
} from '@ai-sdk/provider'
import type { CallId } from './ids.ts'

// The provider's own message form is kept everywhere, so that a resident session is sent as it stands.
export type Message = LanguageModelV4Message
export type Prompt = LanguageModelV4Prompt
export type ToolSchema = LanguageModelV4FunctionTool

/** JSON as a value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

export interface Image { readonly mediaType: string; /** base64 */ readonly data: string }

/** A call as the model asked for it; `input` is the JSON text it sent. */
export interface ToolCall {
  readonly id: CallId
  readonly name: string
  readonly input: string
}

/** Tokens of one model call or the sum of several; cache reads and writes stand apart from fresh input. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input, output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead, cacheWrite: a.cacheWrite + b.cacheWrite,
  }
}

/** From the provider's report; parts it leaves out count as zero. `input` is the total with cached tokens. */
export function usageOf(usage: LanguageModelV4Usage | undefined): Usage {
  return {
    input: usage?.inputTokens.total ?? 0,
    output: usage?.outputTokens.total ?? 0,
    cacheRead: usage?.inputTokens.cacheRead ?? 0,
    cacheWrite: usage?.inputTokens.cacheWrite ?? 0,
  }
}
