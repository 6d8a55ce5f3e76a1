import { hashOf, type AgentBundle } from '@amodal/sdk'
import { bundleWith } from '@amodal/plugin-loop/tokens'
import type { Variant } from '../definition.ts'

/**
 * The agent's files with variants in place of its own texts and model. Everything else, guards
 * among it, is the very same object. One object for each combination, with a hash of its own, so
 * that prompts are compiled and cached by variant.
 */
export class VariantBundles {
  readonly #bundles = new WeakMap<AgentBundle, Map<string, AgentBundle>>()

  of(bundle: AgentBundle, variants: ReadonlyMap<string, Variant>): AgentBundle {
    const changes = [...variants].filter(([, variant]) => changesOnline(variant))
    if (changes.length === 0) return bundle
    const key = JSON.stringify(changes.map(([experiment, { name }]) => [experiment, name]))
    const known = this.#bundles.get(bundle) ?? new Map<string, AgentBundle>()
    this.#bundles.set(bundle, known)
    const varied =
      known.get(key) ??
      variedBundle(
        bundle,
        changes.map(([, variant]) => variant),
        key,
      )
    known.set(key, varied)
    return varied
  }
}

const changesOnline = ({ knowledge, model, prompt, skills }: Variant): boolean =>
  prompt !== undefined || model !== undefined || skills.length > 0 || knowledge.length > 0

/** @param bundle as the roles of the caller allow it: a skill that is not in it is not added */
function variedBundle(bundle: AgentBundle, variants: readonly Variant[], key: string): AgentBundle {
  const instead = <T extends { readonly name: string }>(
    own: readonly T[],
    varied: readonly T[],
  ): readonly T[] => own.map((one) => varied.find(({ name }) => name === one.name) ?? one)
  const prompt = variants.find((one) => one.prompt)?.prompt
  const model = variants.find((one) => one.model)?.model
  const { manifest } = bundle
  return bundleWith(bundle, {
    hash: hashOf({ bundle: bundle.hash, variants: key }),
    instructions: prompt ?? bundle.instructions,
    skills: instead(
      bundle.skills,
      variants.flatMap(({ skills }) => skills),
    ),
    knowledge: instead(
      bundle.knowledge,
      variants.flatMap(({ knowledge }) => knowledge),
    ),
    manifest: model ? { ...manifest, models: { ...manifest.models, main: model } } : manifest,
  })
}
