import {
  failure,
  type AssetRef,
  type Failure,
  type Generation,
  type ModelConfig,
  providerOf,
} from '@amodal/sdk'
import { describeAsset, IMAGE_TYPES, isTextType, isTypeOf } from '@amodal/sdk/loop'

/** The types of files, other than text, that a model accepts. */
export function acceptedTypes(config: ModelConfig, generation: Generation): readonly string[] {
  if (config.takes) return config.takes
  const provider = providerOf(generation, config)
  return (provider.ok ? provider.value.takes?.(config) : undefined) ?? IMAGE_TYPES
}

/** Every model accepts text, and the types in its list. */
export const isAcceptedType = (mediaType: string, types: readonly string[]): boolean =>
  isTextType(mediaType) || isTypeOf(mediaType, types)

/** Why a model cannot read these files. */
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
