import type { AgentBundle } from '@amodal/sdk'

/**
 * Context windows in tokens, by how a model's name begins; the longest match counts. As published
 * by their makers.
 */
const WINDOWS: Readonly<Record<string, number>> = {
  'claude-': 200_000,
  'gpt-4': 8_192,
  'gpt-4-turbo': 128_000,
  'gpt-4o': 128_000,
  'gpt-4.1': 1_047_576,
  'gpt-5': 400_000,
  o1: 200_000,
  o3: 200_000,
  'o4-mini': 200_000,
  'gemini-': 1_048_576,
  'deepseek-': 128_000,
  'grok-3': 131_072,
  'grok-4': 256_000,
  'llama-3.1': 131_072,
  'llama-3.3': 131_072,
  'mistral-large': 128_000,
}

/**
 * Tokens the main model takes: `models.main.contextWindow` of the manifest, else what is configured
 * or known for a model of that name, else `fallback`.
 */
export function contextWindow(
  { manifest: { models, raw } }: AgentBundle,
  configured: Readonly<Record<string, number>>,
  fallback: number,
): number {
  const stated = property(property(property(raw, 'models'), 'main'), 'contextWindow')
  if (typeof stated === 'number') return stated
  // gateways put the maker first: `meta/llama-3.3-70b`
  const name = models.main?.model.split('/').at(-1)?.toLowerCase()
  if (name === undefined) return fallback
  const windows = { ...WINDOWS, ...configured }
  const [longest] = Object.keys(windows)
    .filter((prefix) => name.startsWith(prefix))
    .sort((a, b) => b.length - a.length)
  return longest === undefined ? fallback : (windows[longest] ?? fallback)
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}
