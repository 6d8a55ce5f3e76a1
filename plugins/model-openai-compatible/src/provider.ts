import { err, failure, ok, type Failure, type LanguageModel, type ModelConfig, type ModelProvider, type Outbound, type Result, type Secrets } from '@amodal/sdk'
import { createChatModel } from './chat-model.ts'
import { CUSTOM, CUSTOM_MODEL, CUSTOM_URL, type Endpoint } from './endpoints.ts'

/** Models kept ready: a run asks for its model on every call. */
const MAX_MODELS = 64

export interface ProviderDeps { readonly secrets: Secrets; readonly outbound: Outbound }

/** What a configuration comes to, once its references are resolved. */
interface Resolved { readonly provider: string; readonly model: string; readonly baseUrl: string; readonly headers: Readonly<Record<string, string>> }

/** The provider for one endpoint of the table. */
export function createProvider(endpoint: Endpoint, deps: ProviderDeps): ModelProvider {
  const models = new Map<string, LanguageModel>()
  const { secrets } = deps
  return {
    ...(endpoint.model !== undefined && { defaultModel: endpoint.model }),
    model(config) {
      const resolved = resolve(config, endpoint, secrets)
      if (!resolved.ok) return resolved
      const identity = JSON.stringify(resolved.value)
      const kept = models.get(identity)
      if (kept !== undefined) return ok(kept)
      const go = deps.outbound.fetch(undefined, resolved.value.baseUrl) // a model may run beside the agent
      const model = createChatModel({ ...resolved.value, parameters: endpoint.parameters ?? {}, fetch: go, mask: (text) => secrets.mask(text) })
      if (models.size >= MAX_MODELS) for (const oldest of models.keys()) { models.delete(oldest); break }
      models.set(identity, model)
      return ok(model)
    },
    detect() {
      const config = endpoint.name === CUSTOM ? customConfig(endpoint, secrets) : keyedConfig(endpoint, secrets)
      return config && { config, rank: endpoint.rank }
    },
    status() {
      const keySet = isSet(secrets, endpoint.envVar)
      const notice = endpoint.name === CUSTOM ? customNotice(secrets) : undefined
      return { provider: endpoint.name, envVar: endpoint.envVar, keySet, ...(notice === undefined ? {} : { notice }) }
    },
  }
}

/** Resolves `env:` references at the time of the call, so that a changed key counts at once. */
function resolve(config: ModelConfig, endpoint: Endpoint, secrets: Secrets): Result<Resolved, Failure> {
  const where = (field: string): string => `${field} of the model '${config.model}' (provider '${config.provider}')`
  const named = config.baseUrl ?? endpoint.baseUrl
  if (named === undefined) {
    return err(failure('NO_MODEL', `the model provider '${config.provider}' needs a 'baseUrl' beside its model '${config.model}', such as "http://127.0.0.1:11434/v1"`))
  }
  const baseUrl = secrets.resolve(named, where('baseUrl'))
  if (!baseUrl.ok) return baseUrl
  if (!URL.canParse(baseUrl.value)) return err(failure('NO_MODEL', `${where('baseUrl')} is no valid URL`))

  const headers: Record<string, string> = {}
  const key = keyReference(config, endpoint, secrets)
  if (key !== undefined) {
    const value = secrets.resolve(key, where('apiKey'))
    if (!value.ok) return value
    headers.authorization = `Bearer ${value.value}`
  }
  for (const [name, text] of Object.entries(config.headers ?? {})) {
    const value = secrets.resolve(text, where(`headers.${name}`))
    if (!value.ok) return value
    headers[name.toLowerCase()] = value.value
  }
  return ok({ provider: config.provider, model: config.model, baseUrl: baseUrl.value, headers })
}

/** A key of its own; else the endpoint's, which only the endpoint's own address insists on. Any other address gets no key unasked. */
function keyReference(config: ModelConfig, endpoint: Endpoint, secrets: Secrets): string | undefined {
  if (config.apiKey !== undefined || endpoint.name === CUSTOM) return config.apiKey
  const ownAddress = config.baseUrl === undefined
  return ownAddress || isSet(secrets, endpoint.envVar) ? `env:${endpoint.envVar}` : undefined
}

function keyedConfig(endpoint: Endpoint, secrets: Secrets): ModelConfig | undefined {
  if (endpoint.model === undefined || !isSet(secrets, endpoint.envVar)) return undefined
  return { provider: endpoint.name, model: endpoint.model, apiKey: `env:${endpoint.envVar}` }
}

function customConfig(endpoint: Endpoint, secrets: Secrets): ModelConfig | undefined {
  const model = secrets.get(CUSTOM_MODEL)
  if (!model || !isSet(secrets, CUSTOM_URL)) return undefined
  const key = isSet(secrets, endpoint.envVar) ? { apiKey: `env:${endpoint.envVar}` } : {}
  return { provider: endpoint.name, model, baseUrl: `env:${CUSTOM_URL}`, ...key }
}

function customNotice(secrets: Secrets): string | undefined {
  const missing = [CUSTOM_URL, CUSTOM_MODEL].filter((name) => !isSet(secrets, name))
  return missing.length === 1 ? `set ${missing[0]} too: ${CUSTOM_URL} and ${CUSTOM_MODEL} work only together` : undefined
}

function isSet(secrets: Secrets, name: string): boolean {
  return (secrets.get(name) ?? '') !== ''
}
