/** Where a provider's `/embeddings` is, and the variable of its key. */
interface Provider {
  readonly baseUrl?: string
  readonly variable?: string
}

const PROVIDERS = {
  openai: { baseUrl: 'https://api.openai.com/v1', variable: 'OPENAI_API_KEY' },
  // Its interface of the same form as OpenAI's.
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    variable: 'GOOGLE_API_KEY',
  },
  mistral: { baseUrl: 'https://api.mistral.ai/v1', variable: 'MISTRAL_API_KEY' },
  together: { baseUrl: 'https://api.together.xyz/v1', variable: 'TOGETHER_API_KEY' },
  fireworks: {
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    variable: 'FIREWORKS_API_KEY',
  },
  ollama: { baseUrl: 'http://127.0.0.1:11434/v1' },
  'openai-compatible': {},
} satisfies Readonly<Record<string, Provider>>

type ProviderName = keyof typeof PROVIDERS

/** Names that `provider` may have. */
export const EMBEDDING_PROVIDERS = [
  'openai',
  'google',
  'mistral',
  'together',
  'fireworks',
  'ollama',
  'openai-compatible',
] as const satisfies readonly ProviderName[]

interface Service {
  readonly baseUrl: string
  readonly apiKey?: string
}

/**
 * The address and the key of a service. The key of a provider is never sent to another address than
 * its own.
 *
 * @returns `undefined` where a service has no address
 * @example
 * serviceOf({ provider: 'mistral' })
 * // { baseUrl: 'https://api.mistral.ai/v1', apiKey: 'env:MISTRAL_API_KEY' }
 */
export function serviceOf({
  provider,
  baseUrl,
  apiKey,
}: {
  readonly provider: ProviderName
  readonly baseUrl?: string | undefined
  readonly apiKey?: string | undefined
}): Service | undefined {
  const known: Provider = PROVIDERS[provider]
  const address = baseUrl ?? known.baseUrl
  if (address === undefined) return undefined
  const key =
    apiKey ??
    (baseUrl === undefined && known.variable !== undefined ? `env:${known.variable}` : undefined)
  return { baseUrl: address, ...(key !== undefined && { apiKey: key }) }
}
