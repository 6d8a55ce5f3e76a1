import {
  chooseModel,
  Models,
  type AgentBundle,
  type Generation,
  type ModelConfig,
} from '@amodal/sdk'
import { modelName } from './judge.ts'

/**
 * The model that judges: what the settings name, or another model than the one that is tested. Only
 * where none is configured, the tested one judges itself, and every result says so.
 *
 * @param named of the settings
 * @param subject the model that is tested
 */
export function chooseJudge(
  generation: Generation,
  bundle: AgentBundle,
  named: ModelConfig | undefined,
  subject: ModelConfig | undefined,
): { readonly config: ModelConfig; readonly isSubject: boolean } | undefined {
  const isOther = (config: ModelConfig): boolean =>
    subject === undefined || modelName(config) !== modelName(subject)
  if (named) return { config: named, isSubject: !isOther(named) }
  const { advanced, explore, main, simple } = bundle.manifest.models
  const configured = [advanced, main, simple, explore].filter((one) => one !== undefined)
  const detected = [...generation.registry(Models).values()]
    // A stand-in matches words: it can answer, and judges nothing.
    .filter((provider) => provider.status?.().standIn !== true)
    .flatMap((provider) => provider.detect?.(bundle) ?? [])
    .sort((a, b) => a.rank - b.rank)
    .map(({ config }) => config)
  const config =
    [...configured, ...detected].find(isOther) ?? subject ?? chooseModel(generation, bundle, 'main')
  return config && { config, isSubject: !isOther(config) }
}
