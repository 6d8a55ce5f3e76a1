import { err, ok, type Failure, type Generation, type Result } from '@amodal/kernel'
import { failure } from './errors.ts'
import { didYouMean } from './files/did-you-mean.ts'
import type { AgentBundle, ModelConfig } from './ports/bundle.ts'
import { Models, type ModelCall, type ModelProvider } from './ports/model.ts'

/** Which of the manifest's models stands for a tier, the first that there is. */
const ORDER: Readonly<Record<ModelCall['tier'], readonly ModelCall['tier'][]>> = {
  main: ['main'],
  advanced: ['advanced', 'main'],
  explore: ['explore', 'simple', 'main'],
  simple: ['simple', 'explore', 'main'],
}

/** The model that a tier means: what the manifest names, or what a provider detects. */
export function chooseModel(
  generation: Generation,
  bundle: AgentBundle,
  tier: ModelCall['tier'],
): ModelConfig | undefined {
  const { models } = bundle.manifest
  const named = ORDER[tier].map((one) => models[one]).find((one) => one !== undefined)
  if (named) return named
  const found = [...generation.registry(Models).values()].flatMap(
    (provider) => provider.detect?.(bundle) ?? [],
  )
  return found.sort((a, b) => a.rank - b.rank)[0]?.config
}

/** No model is named and no key is set; names the variables that were checked. */
export function noModelFound(generation: Generation): Failure {
  const variables = [...generation.registry(Models).values()].flatMap(
    // A provider whose models have no common name, such as one of deployments, is never found.
    (provider) => (provider.detect === undefined ? [] : (provider.status?.().envVar ?? [])),
  )
  return failure(
    'NO_MODEL',
    variables.length === 0
      ? 'no model is configured and none was found'
      : `no model is configured and none was found: none of ${variables.join(', ')} is set for this agent. Set one in the environment or in .env, or pass it to \`createAgent\` in \`env\``,
  )
}

/** The provider of a configuration; an unknown name with a `baseUrl` is a compatible endpoint. */
export function providerOf(
  generation: Generation,
  config: ModelConfig,
): Result<ModelProvider, Failure> {
  const models = generation.registry(Models)
  const provider =
    models.get(config.provider) ??
    (config.baseUrl === undefined ? undefined : models.get('openai-compatible'))
  if (provider) return ok(provider)
  const meant = didYouMean(config.provider, [...models.keys()])
  return err(
    failure(
      'NO_MODEL',
      `there is no model provider "${config.provider}"${meant === undefined ? '' : `; did you mean "${meant}"?`} (there are: ${[...models.keys()].join(', ') || 'none'}); set a \`baseUrl\` to use it as a compatible endpoint`,
    ),
  )
}
