import type { ModelConfig, ModelProvider, Secrets } from '@amodal/sdk'
import { keyedProvider, type KeyedProviderDeps } from '@amodal/sdk/model'
import { createChatModel } from './chat-model.ts'
import { CUSTOM, CUSTOM_MODEL, CUSTOM_URL, type Endpoint } from './endpoints.ts'

/** The provider for one endpoint of the table. */
export function createProvider(endpoint: Endpoint, deps: KeyedProviderDeps): ModelProvider {
  const provider = keyedProvider(endpoint, deps, ({ apiKey, headers, ...resolved }, way) =>
    createChatModel({
      ...resolved,
      ...way,
      headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...headers },
      parameters: endpoint.parameters ?? {},
      structured: endpoint.structured ?? true,
      resultImages: endpoint.resultImages ?? true,
      repliesToResults: endpoint.repliesToResults ?? false,
    }),
  )
  if (endpoint.name !== CUSTOM) return provider
  const { secrets } = deps
  return {
    ...provider,
    detect() {
      const config = customConfig(endpoint, secrets)
      return config && { config, rank: endpoint.rank }
    },
    status() {
      const notice = customNotice(secrets)
      return {
        provider: endpoint.name,
        envVar: endpoint.envVar,
        keySet: isSet(secrets, endpoint.envVar),
        ...(notice === undefined ? {} : { notice }),
      }
    },
  }
}

function customConfig(endpoint: Endpoint, secrets: Secrets): ModelConfig | undefined {
  const model = secrets.get(CUSTOM_MODEL)
  if (!model || !isSet(secrets, CUSTOM_URL)) return undefined
  const key = isSet(secrets, endpoint.envVar) ? { apiKey: `env:${endpoint.envVar}` } : {}
  return { provider: endpoint.name, model, baseUrl: `env:${CUSTOM_URL}`, ...key }
}

function customNotice(secrets: Secrets): string | undefined {
  const missing = [CUSTOM_URL, CUSTOM_MODEL].filter((name) => !isSet(secrets, name))
  return missing.length === 1
    ? `set ${missing[0]} too: ${CUSTOM_URL} and ${CUSTOM_MODEL} work only together`
    : undefined
}

function isSet(secrets: Secrets, name: string): boolean {
  return (secrets.get(name) ?? '') !== ''
}
