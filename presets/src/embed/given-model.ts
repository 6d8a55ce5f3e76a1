import {
  definePlugin,
  err,
  failure,
  Models,
  ok,
  PluginError,
  providerOf,
  use,
  type AgentBundle,
  type Entry,
  type Failure,
  type Generation,
  type LanguageModel,
  type ModelConfig,
  type Result,
} from '@amodal/sdk'
import type { FailoverProvider } from './failover.ts'

export interface ModelChoice {
  /**
   * The name of a provider, such as `groq`, a model of the AI SDK (specification v4), or several
   * providers (`createFailoverProvider`). Wins over the agent's files.
   */
  readonly provider?: string | LanguageModel | FailoverProvider
  /** Of a provider that is named; its own model where none is said here. */
  readonly providerConfig?: Partial<Omit<ModelConfig, 'provider' | 'apiKey'>>
  /** Of a provider that is named; what its variable in `env` says where it is left out. */
  readonly apiKey?: string
}

const NAME = 'given-model'
const KEY = 'AMODAL_EMBEDDED_KEY'

/** The key stays where secrets are kept and masked; the configuration only names it. */
export const keyEnvironment = ({
  provider,
  apiKey,
}: ModelChoice): Readonly<Record<string, string>> =>
  typeof provider === 'string' && apiKey !== undefined ? { [KEY]: apiKey } : {}

/** Makes the chosen model that of `models.main`, whatever the agent's files say. */
export function givenModel(choice: ModelChoice): readonly Entry[] {
  const { provider } = choice
  if (provider === undefined) return []
  return [
    ...(isChain(provider) ? provider.entries : []),
    use(
      definePlugin({
        name: NAME,
        version: '1.0.0',
        provides: [Models],
        setup({ add, hooks, generation }) {
          if (isModel(provider)) add(Models, NAME, { model: () => ok(provider) })
          hooks.bundle.load.tap((bundle) => {
            const config = configOf(provider, choice, generation())
            if (!config.ok)
              throw new PluginError(
                NAME,
                'hook',
                'bundle.load',
                new Error(config.error.message),
                config.error.code,
              )
            return withMain(bundle, config.value)
          })
        },
      }),
    ),
  ]
}

type Given = NonNullable<ModelChoice['provider']>

const isChain = (provider: Given): provider is FailoverProvider =>
  typeof provider === 'object' && 'kind' in provider && provider.kind === 'failover'
const isModel = (provider: Given): provider is LanguageModel =>
  typeof provider === 'object' && !isChain(provider)

function configOf(
  provider: Given,
  choice: ModelChoice,
  generation: Generation,
): Result<ModelConfig, Failure> {
  if (isModel(provider)) return valueConfig(provider)
  if (!isChain(provider)) return namedConfig(provider, choice, generation)
  let chain: ModelConfig | undefined
  for (const {
    provider: name,
    fallback: _ownChain,
    ...providerConfig
  } of provider.links.toReversed()) {
    const { apiKey, ...others } = providerConfig
    const link = namedConfig(name, { providerConfig: others }, generation, apiKey)
    if (!link.ok) return link
    chain = { ...link.value, ...(chain && { fallback: chain }) }
  }
  return chain ? ok(chain) : err(failure('NO_MODEL', 'the chain of providers is empty'))
}

const withMain = (bundle: AgentBundle, main: ModelConfig): AgentBundle => ({
  ...bundle,
  manifest: { ...bundle.manifest, models: { ...bundle.manifest.models, main } },
})

function valueConfig(model: LanguageModel): Result<ModelConfig, Failure> {
  // A model of an older release has the same shape on the outside.
  const version: string = model.specificationVersion
  return version === 'v4'
    ? ok({ provider: NAME, model: model.modelId })
    : err(
        failure(
          'NO_MODEL',
          `the model "${model.modelId}" has specification ${version}, and v4 is needed: update its package`,
        ),
      )
}

/**
 * The configuration of a provider by its name, once the provider itself has said that it will do.
 */
function namedConfig(
  name: string,
  { providerConfig, apiKey }: ModelChoice,
  generation: Generation,
  reference = apiKey === undefined ? undefined : `env:${KEY}`,
): Result<ModelConfig, Failure> {
  const provider = providerOf(generation, { ...providerConfig, provider: name, model: '' })
  if (!provider.ok) return provider
  const model = providerConfig?.model ?? provider.value.defaultModel
  if (model === undefined)
    return err(
      failure(
        'NO_MODEL',
        `the provider "${name}" has no model of its own: name one in \`providerConfig.model\``,
      ),
    )
  const config: ModelConfig = {
    ...providerConfig,
    provider: name,
    model,
    ...(reference !== undefined && { apiKey: reference }),
  }
  const made = provider.value.model(config)
  if (made.ok) return ok(config)
  const hint =
    made.error.code === 'ENV_NOT_SET'
      ? '; hand it in as `apiKey`, or the variables as `env: process.env`'
      : ''
  return err({ ...made.error, message: `${made.error.message}${hint}` })
}
