import {
  failure,
  type AssetRef,
  type Failure,
  type Generation,
  type ModelConfig,
  providerOf,
} from '@amodal/sdk'
import { describeAsset, IMAGE_TYPES, isTextType, isTypeOf } from '@amodal/sdk/loop'

/**
 * The types of files, other than text, that a model accepts: those that its configuration or its
 * provider names, as far as the provider's requests have a form for them.
 */
export function acceptedTypes(config: ModelConfig, generation: Generation): readonly string[] {
  const found = providerOf(generation, config)
  const provider = found.ok ? found.value : undefined
  const types = config.takes ?? provider?.takes?.(config) ?? IMAGE_TYPES
  return provider?.carries ? inBoth(types, provider.carries) : types
}

/**
 * The types that are in both lists.
 *
 * @example
 * inBoth(['audio/*'], ['image/*', 'audio/wav']) // ['audio/wav']
 */
const inBoth = (types: readonly string[], others: readonly string[]): readonly string[] =>
  types.flatMap((type) =>
    isTypeOf(type, others) ? [type] : others.filter((other) => isTypeOf(other, [type])),
  )

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
