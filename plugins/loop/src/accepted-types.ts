import {
  failure,
  type AssetRef,
  type Failure,
  type Generation,
  type ModelConfig,
  providerOf,
} from '@amodal/sdk'
import { describeAsset, IMAGE_TYPES, isTextType, isTypeOf } from '@amodal/sdk/loop'

/** Types of files that a model reads beside text. */
export function acceptedTypes(config: ModelConfig, generation: Generation): readonly string[] {
  if (config.takes) return config.takes
  const provider = providerOf(generation, config)
  return (provider.ok ? provider.value.takes?.(config) : undefined) ?? IMAGE_TYPES
}

/** Every model reads text; of the rest, what is among these types. */
export const isAcceptedType = (mediaType: string, types: readonly string[]): boolean =>
  isTextType(mediaType) || isTypeOf(mediaType, types)

/** Why a model cannot be asked about these files. */
export function typeRefusal(
  config: ModelConfig,
  files: readonly AssetRef[],
  generation: Generation,
): Failure | undefined {
  const types = acceptedTypes(config, generation)
  const first = files.find(({ mediaType }) => !isAcceptedType(mediaType, types))
  return (
    first &&
    failure(
      'ASSET_UNSUPPORTED',
      `assets: ${config.provider}/${config.model} cannot read ${describeAsset(first)}; it reads text${types.map((type) => `, ${type}`).join('')}`,
    )
  )
}
