/** Dollars for a million tokens. A cache price that is left out is the one for input. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

const anthropic = (input: number, output: number): Price => ({
  input,
  output,
  cacheRead: input / 10,
  cacheWrite: input * 1.25,
})

/**
 * By provider and model, as the providers published them. A model that is not here has no price,
 * rather than a guessed one.
 */
export const PRICES: Readonly<Record<string, Price>> = {
  'anthropic/claude-opus-4': anthropic(15, 75),
  'anthropic/claude-opus-4-1': anthropic(15, 75),
  'anthropic/claude-opus-4-5': anthropic(5, 25),
  'anthropic/claude-sonnet-4': anthropic(3, 15),
  'anthropic/claude-sonnet-4-5': anthropic(3, 15),
  'anthropic/claude-3-7-sonnet': anthropic(3, 15),
  'anthropic/claude-haiku-4-5': anthropic(1, 5),
  'anthropic/claude-3-5-haiku': anthropic(0.8, 4),
  'openai/gpt-5': { input: 1.25, output: 10, cacheRead: 0.125 },
  'openai/gpt-5-mini': { input: 0.25, output: 2, cacheRead: 0.025 },
  'openai/gpt-5-nano': { input: 0.05, output: 0.4, cacheRead: 0.005 },
  'openai/gpt-4.1': { input: 2, output: 8, cacheRead: 0.5 },
  'openai/gpt-4.1-mini': { input: 0.4, output: 1.6, cacheRead: 0.1 },
  'openai/gpt-4.1-nano': { input: 0.1, output: 0.4, cacheRead: 0.025 },
  'openai/gpt-4o': { input: 2.5, output: 10, cacheRead: 1.25 },
  'openai/gpt-4o-mini': { input: 0.15, output: 0.6, cacheRead: 0.075 },
  'openai/gpt-4-turbo': { input: 10, output: 30 },
  'openai/gpt-4': { input: 30, output: 60 },
  'openai/o1': { input: 15, output: 60, cacheRead: 7.5 },
  'openai/o3': { input: 2, output: 8, cacheRead: 0.5 },
  'openai/o3-mini': { input: 1.1, output: 4.4, cacheRead: 0.55 },
  'openai/o4-mini': { input: 1.1, output: 4.4, cacheRead: 0.275 },
  'google/gemini-3.1-pro-preview': { input: 2, output: 12 },
  'google/gemini-3-flash-preview': { input: 0.5, output: 3 },
  'google/gemini-3.1-flash-lite-preview': { input: 0.25, output: 1.5 },
  'google/gemini-2.5-pro': { input: 1.25, output: 10 },
  'google/gemini-2.5-flash': { input: 0.3, output: 2.5 },
  'vertex/gemini-3.1-pro-preview': { input: 2, output: 12 },
  'vertex/gemini-3-flash-preview': { input: 0.5, output: 3 },
  'vertex/gemini-3.1-flash-lite-preview': { input: 0.25, output: 1.5 },
  'vertex/gemini-2.5-pro': { input: 1.25, output: 10 },
  'vertex/gemini-2.5-flash': { input: 0.3, output: 2.5 },
  'groq/llama-3.3-70b-versatile': { input: 0.59, output: 0.79 },
  'deepseek/deepseek-chat': { input: 0.28, output: 0.42, cacheRead: 0.028 },
  'deepseek/deepseek-reasoner': { input: 0.28, output: 0.42, cacheRead: 0.028 },
  'xai/grok-4': { input: 3, output: 15, cacheRead: 0.75 },
  'xai/grok-3': { input: 3, output: 15, cacheRead: 0.75 },
  'xai/grok-3-mini': { input: 0.3, output: 0.5, cacheRead: 0.075 },
  'together/meta-llama/Llama-3.3-70B-Instruct-Turbo': { input: 0.88, output: 0.88 },
  'fireworks/accounts/fireworks/models/llama-v3p3-70b-instruct': { input: 0.9, output: 0.9 },
}
