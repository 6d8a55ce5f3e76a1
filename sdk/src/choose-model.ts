import { err, ok, type Failure, type Generation, type Result } from '@amodal/kernel'
import { failure } from './errors.ts'
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
  return err(
    failure(
      'NO_MODEL',
      `there is no model provider "${config.provider}" (there are: ${[...models.keys()].join(', ') || 'none'}); set a \`baseUrl\` to use it as a compatible endpoint`,
    ),
  )
}
