import {
  chooseModel,
  err,
  Models,
  ok,
  type AgentBundle,
  type Failure,
  type Generation,
  type ModelConfig,
  type Result,
} from '@amodal/sdk'
import { EvalInvalid } from '../errors.ts'
import { modelName } from '../judge/judge.ts'
import type { EvalRequest, Variant } from '../results/result.ts'

/** The models that a request compares: the agent's own where it names none. */
export function variantsOf(
  { models = [], providers = [] }: Pick<EvalRequest, 'models' | 'providers'>,
  generation: Generation,
  bundle: AgentBundle,
): Result<readonly Variant[], Failure> {
  const variants: Variant[] = []
  for (const provider of providers) {
    const config = ofProvider(provider, generation, bundle)
    if (!config.ok) return config
    variants.push({ name: modelName(config.value), model: config.value })
  }
  for (const name of models) {
    const config = readModel(name, bundle)
    if (!config) return err(EvalInvalid(`"${name}" is no model: write PROVIDER/MODEL`))
    variants.push({ name, model: config })
  }
  if (variants.length > 0) return ok([...new Map(variants.map((one) => [one.name, one])).values()])
  const own = chooseModel(generation, bundle, 'main')
  return own
    ? ok([{ name: modelName(own) }])
    : err(EvalInvalid('the agent has no model: name one in amodal.json, or set its key'))
}

/** The model of amodal.json that is of this provider, or the one that it takes by itself. */
function ofProvider(
  provider: string,
  generation: Generation,
  bundle: AgentBundle,
): Result<ModelConfig, Failure> {
  const named = Object.values(bundle.manifest.models).find((one) => one.provider === provider)
  if (named) return ok(named)
  const known = generation.registry(Models)
  const model = known.get(provider)?.defaultModel
  if (model !== undefined) return ok({ provider, model })
  return err(
    EvalInvalid(
      known.has(provider)
        ? `the provider "${provider}" has no model of its own: name one with --models ${provider}/MODEL`
        : `there is no model provider "${provider}"; there are: ${[...known.keys()].join(', ')}`,
    ),
  )
}

/**
 * A model by its name, with the settings that amodal.json has for it.
 *
 * @param name `provider/model`; the model may have slashes itself
 */
export function readModel(name: string, bundle: AgentBundle): ModelConfig | undefined {
  const [, provider, model] = /^([^/]+)\/(.+)$/.exec(name) ?? []
  if (provider === undefined || model === undefined) return undefined
  const configured = Object.values(bundle.manifest.models)
  const same = configured.find((one) => one.provider === provider && one.model === model)
  // Another model of the same account: its address and key are the same.
  const account = configured.find((one) => one.provider === provider)
  return same ?? { ...(account && accountOf(account)), provider, model }
}

const accountOf = ({ apiKey, baseUrl, headers }: ModelConfig): Partial<ModelConfig> => ({
  ...(apiKey !== undefined && { apiKey }),
  ...(baseUrl !== undefined && { baseUrl }),
  ...(headers && { headers }),
})
