import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import { isRecord, numberOf } from './json.ts'

/**
 * Tokens as an endpoint reports them. Cached input stands apart, whatever its name: the common
 * `prompt_tokens_details.cached_tokens`, DeepSeek's `prompt_cache_hit_tokens`, Moonshot's
 * `cached_tokens`. An unknown number stays unknown.
 */
export function readUsage(value: unknown): LanguageModelV4Usage {
  const usage = isRecord(value) ? value : {}
  const input = isRecord(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const output = isRecord(usage.completion_tokens_details) ? usage.completion_tokens_details : {}
  // No request takes 0 tokens: an endpoint that says so has not counted.
  const total = numberOf(usage.prompt_tokens) || undefined
  const cacheRead =
    numberOf(input.cached_tokens) ??
    numberOf(usage.prompt_cache_hit_tokens) ??
    numberOf(usage.cached_tokens) ??
    0
  const completion = numberOf(usage.completion_tokens)
  const reasoning = numberOf(output.reasoning_tokens) ?? 0
  return {
    inputTokens:
      total === undefined
        ? { total, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }
        : { total, noCache: Math.max(0, total - cacheRead), cacheRead, cacheWrite: undefined },
    outputTokens:
      completion === undefined
        ? { total: completion, text: undefined, reasoning: undefined }
        : { total: completion, text: Math.max(0, completion - reasoning), reasoning },
  }
}
