import { err, ok, type Failure, type Result } from '@amodal/kernel'
import { repairEscapes } from '../data/exact-number.ts'
import { failure } from '../errors.ts'
import type { ModelConfig } from '../ports/bundle.ts'
import type { LanguageModel, ModelProvider } from '../ports/model.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Secrets } from '../ports/secrets.ts'
import { ToolFitter } from './fit-tools.ts'
import { commonRules, type SchemaRules } from './schema-rules.ts'

/** Models kept ready: a run asks for its model on every call. */
const MAX_MODELS = 64

/** Where a provider's models are, as far as it is known before anything is configured. */
export interface ModelEndpoint {
  readonly name: string
  /**
   * Left out: the manifest has to name one. A function for an address that depends on variables,
   * such as the region of an account; its error names the variable that is missing.
   */
  readonly baseUrl?: string | ((given: AddressParts) => Result<string, Failure>)
  /** The variable that holds its key. */
  readonly envVar: string
  /** Other names of that variable: the first that is set counts, where `envVar` is not set. */
  readonly aliases?: readonly string[]
  /** Variables that together replace the key, such as the two that requests are signed with. */
  readonly signedWith?: readonly string[]
  /** Further variables that a request depends on; those of `signedWith` need not be repeated. */
  readonly variables?: readonly string[]
  /** The model to take where only the key is set. */
  readonly model?: string
  /**
   * Place in the order of detection, lowest wins: a custom endpoint 0, Anthropic 10, OpenAI 20,
   * Google 30, others from 40.
   */
  readonly rank: number
  /** What it takes of the schemas of tools. Left out: what every provider does. */
  readonly rules?: SchemaRules
  /** Settings of a model that it does not have. */
  readonly lacks?: readonly ModelSetting[]
  /** Types of files that its models read. Left out: the types of images that most models read. */
  readonly takes?: readonly string[]
  /** Types of files that its requests have a form for, whatever a model reads. Left out: any. */
  readonly carries?: readonly string[]
}

/** Settings that not every provider has. */
export type ModelSetting =
  | 'topP'
  | 'seed'
  | 'effort'
  | 'thinking'
  | 'responseSchema'
  | 'strictTools'

/** Variables of an endpoint that are set, by name. */
export type EndpointVariables = Readonly<Record<string, string>>

/** What the address of an endpoint may depend on. */
export interface AddressParts {
  readonly variables: EndpointVariables
  readonly apiKey: string | undefined
}

export interface KeyedProviderDeps {
  readonly secrets: Secrets
  readonly outbound: Outbound
}

/** What a configuration comes to, once its references are resolved; sent as it stands. */
export interface ResolvedModel {
  readonly provider: string
  readonly model: string
  readonly baseUrl: string
  readonly apiKey: string | undefined
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Those of `ModelEndpoint.variables` and `signedWith` that are set. */
  readonly variables: EndpointVariables
  /** Tokens that it may think for. */
  readonly thinking?: number
  readonly strictTools?: boolean
}

/** How to reach an endpoint. */
export interface ModelTransport {
  readonly fetch: typeof fetch
  /** Takes the values of secrets out of a text. */
  readonly mask: (text: string) => string
}

/**
 * A provider whose models are reached at an address with a key. `env:` references are resolved at
 * each call, so that a changed key counts at once; the endpoint's own key goes to another `baseUrl`
 * only where it is set, and none is insisted on.
 *
 * @param make a model, cheap to make: it is kept for as long as its configuration comes to the same
 * @example
 * add(Models, 'acme', keyedProvider({ name: 'acme', baseUrl: 'https://api.acme.com', envVar: 'ACME_API_KEY', model: 'acme-1', rank: 50 }, deps, makeModel))
 */
export function keyedProvider(
  endpoint: ModelEndpoint,
  { secrets, outbound }: KeyedProviderDeps,
  make: (resolved: ResolvedModel, transport: ModelTransport) => LanguageModel,
): ModelProvider {
  const models = new Map<string, LanguageModel>()
  const {
    name,
    model: defaultModel,
    envVar,
    rank,
    lacks = [],
    takes,
    carries,
    rules = commonRules(name),
  } = endpoint
  const isKeySet = (): boolean =>
    keyVariable(endpoint, secrets) !== undefined || isSigned(endpoint, secrets)
  return {
    ...(defaultModel !== undefined && { defaultModel }),
    model(config) {
      const resolved = resolve(config, endpoint, secrets)
      if (!resolved.ok) return resolved
      const identity = JSON.stringify(resolved.value)
      const cached = models.get(identity)
      if (cached !== undefined) return ok(cached)
      const transport = {
        // Private addresses are allowed: a model may run on the same machine as the agent.
        fetch: sendingWellFormed(outbound.fetch(undefined, resolved.value.baseUrl)),
        mask: (text: string) => secrets.mask(text),
      }
      const model = make(resolved.value, transport)
      if (models.size >= MAX_MODELS)
        for (const oldest of models.keys()) {
          models.delete(oldest)
          break
        }
      models.set(identity, model)
      return ok(model)
    },
    ...(defaultModel !== undefined && {
      detect: () =>
        isKeySet() ? { config: detectedConfig(endpoint, defaultModel, secrets), rank } : undefined,
    }),
    status: () => ({ provider: name, envVar, keySet: isKeySet() }),
    ...(takes && { takes: () => takes }),
    ...(carries && { carries }),
    check: (config, tools) => [
      ...lacks.flatMap((setting) =>
        config[setting] === undefined
          ? []
          : [`models of "${config.provider}" have no \`${setting}\`: it is not sent`],
      ),
      ...new ToolFitter({ ...rules, provider: config.provider }, config.strictTools).problems(
        tools,
      ),
    ],
  }
}

function detectedConfig(endpoint: ModelEndpoint, model: string, secrets: Secrets): ModelConfig {
  const variable = keyVariable(endpoint, secrets)
  return {
    provider: endpoint.name,
    model,
    ...(variable !== undefined && { apiKey: `env:${variable}` }),
  }
}

const isSet = (secrets: Secrets, name: string): boolean => (secrets.get(name) ?? '') !== ''

/** The variable that holds the key, under whichever of its names it is set. */
const keyVariable = (
  { envVar, aliases = [] }: ModelEndpoint,
  secrets: Secrets,
): string | undefined => [envVar, ...aliases].find((name) => isSet(secrets, name))

const isSigned = ({ signedWith = [] }: ModelEndpoint, secrets: Secrets): boolean =>
  signedWith.length > 0 && signedWith.every((name) => isSet(secrets, name))

function variablesOf(
  { variables = [], signedWith = [] }: ModelEndpoint,
  secrets: Secrets,
): EndpointVariables {
  return Object.fromEntries(
    [...signedWith, ...variables].flatMap((name) => {
      const value = secrets.get(name) ?? ''
      return value === '' ? [] : [[name, value] as const]
    }),
  )
}

/**
 * A `fetch` for what leaves as JSON: no half of a character is in its body. Every request to a
 * model passes it; what signs a body has to stand behind it.
 */
export const sendingWellFormed =
  (send: typeof fetch): typeof fetch =>
  (input, init) =>
    send(input, typeof init?.body === 'string' ? { ...init, body: repairEscapes(init.body) } : init)

function resolve(
  config: ModelConfig,
  endpoint: ModelEndpoint,
  secrets: Secrets,
): Result<ResolvedModel, Failure> {
  const { provider, model, thinking, strictTools } = config
  const where = (field: string): string =>
    `${field} of the model '${model}' (provider '${provider}')`
  const apiKey = resolvedKey(config, endpoint, secrets, where('apiKey'))
  if (!apiKey.ok) return apiKey
  const variables = variablesOf(endpoint, secrets)
  const named = addressOf(config, endpoint, { variables, apiKey: apiKey.value })
  if (!named.ok) return named
  const baseUrl = secrets.resolve(named.value, where('baseUrl'), 'address')
  if (!baseUrl.ok) return baseUrl
  if (!URL.canParse(baseUrl.value))
    return err(failure('NO_MODEL', `${where('baseUrl')} is no valid URL`))

  const headers: Record<string, string> = {}
  for (const [name, text] of Object.entries(config.headers ?? {})) {
    const value = secrets.resolve(text, where(`headers.${name}`))
    if (!value.ok) return value
    headers[name.toLowerCase()] = value.value
  }
  return ok({
    provider,
    model,
    baseUrl: baseUrl.value,
    apiKey: apiKey.value,
    headers,
    variables,
    ...(thinking !== undefined && { thinking }),
    ...(strictTools !== undefined && { strictTools }),
  })
}

function addressOf(
  { provider, model, baseUrl }: ModelConfig,
  endpoint: ModelEndpoint,
  given: AddressParts,
): Result<string, Failure> {
  const named = baseUrl ?? endpoint.baseUrl
  if (typeof named === 'string') return ok(named)
  if (named !== undefined) return named(given)
  return err(
    failure(
      'NO_MODEL',
      `the model provider '${provider}' needs a 'baseUrl' beside its model '${model}', such as "http://127.0.0.1:11434/v1"`,
    ),
  )
}

/**
 * A key of its own; else the endpoint's, which only the endpoint's own address insists on. One that
 * has no address has no key to give.
 */
function resolvedKey(
  { apiKey, baseUrl }: ModelConfig,
  endpoint: ModelEndpoint,
  secrets: Secrets,
  where: string,
): Result<string | undefined, Failure> {
  if (apiKey !== undefined) return secrets.resolve(apiKey, where)
  if (endpoint.baseUrl === undefined) return ok(undefined)
  const variable = keyVariable(endpoint, secrets)
  if (variable !== undefined) return secrets.resolve(`env:${variable}`, where)
  if (baseUrl !== undefined || isSigned(endpoint, secrets)) return ok(undefined)
  const missing = secrets.resolve(`env:${endpoint.envVar}`, where)
  const others = otherKeys(endpoint)
  return missing.ok || others === ''
    ? missing
    : err(failure('ENV_NOT_SET', `${missing.error.message}; ${others} will do as well`))
}

/** The variables that do instead of the key, for people. */
const otherKeys = ({ aliases = [], signedWith = [] }: ModelEndpoint): string =>
  [...aliases, ...(signedWith.length > 0 ? [signedWith.join(' with ')] : [])].join(', or ')
