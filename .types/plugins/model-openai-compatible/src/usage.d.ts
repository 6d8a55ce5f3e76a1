import type { LanguageModelV4Usage } from '@ai-sdk/provider';
/**
 * Tokens as an endpoint reports them. Cached input stands apart, whatever its name: the common
 * `prompt_tokens_details.cached_tokens`, DeepSeek's `prompt_cache_hit_tokens`, Moonshot's `cached_tokens`.
 * An unknown number stays unknown.
 */
export declare function readUsage(value: unknown): LanguageModelV4Usage;
