import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentBundle, JsonObject, ModelConfig } from '@amodal/sdk'
import type { Experiment, Variant } from '../definition.ts'

/** The files as they are before a promotion, as a variant of the experiment. */
export interface BaseVariant {
  /** What the experiment says of it. */
  readonly written: JsonObject
  /** Its texts, by path below the agent's folder. */
  readonly files: ReadonlyMap<string, string>
}

/**
 * Stores what a promotion replaces as the variant `base`: sessions that began with it go on with
 * it, and it can be looked up.
 */
export async function baseVariant(
  root: string,
  bundle: AgentBundle,
  { name }: Experiment,
  variant: Variant,
): Promise<BaseVariant> {
  const files = new Map<string, string>()
  const keep = async (file: string | undefined, stored: string): Promise<string | undefined> => {
    const text = file && (await readFile(join(root, file), 'utf8').catch(() => undefined))
    if (text === undefined || text === '') return undefined
    files.set(`experiments/${name}/base/${stored}`, text)
    return `${name}/base/${stored}`
  }
  const all = async (
    part: 'skills' | 'knowledge',
  ): Promise<readonly (readonly [string, string])[]> => {
    const stored: (readonly [string, string])[] = []
    for (const [index, one] of variant[part].entries()) {
      const current = bundle[part].find((own) => own.name === one.name)
      const path = await keep(current?.file, `${part}-${index + 1}.md`)
      if (path !== undefined) stored.push([one.name, path])
    }
    return stored
  }
  const prompt = variant.prompt && (await keep(bundle.instructions?.file, 'prompt.md'))
  const skills = await all('skills')
  const knowledge = await all('knowledge')
  const { main } = bundle.manifest.models
  return {
    files,
    written: {
      description: 'What the files were before the promotion.',
      ...(prompt !== undefined && { prompt }),
      ...(skills.length > 0 && { skills: Object.fromEntries(skills) }),
      ...(knowledge.length > 0 && { knowledge: Object.fromEntries(knowledge) }),
      ...(variant.model && main && { model: modelOf(main) }),
    },
  }
}

const modelOf = ({ effort, maxTokens, model, provider, seed, temperature, topP }: ModelConfig) => ({
  provider,
  model,
  ...(temperature !== undefined && { temperature }),
  ...(maxTokens !== undefined && { maxTokens }),
  ...(topP !== undefined && { topP }),
  ...(seed !== undefined && { seed }),
  ...(effort !== undefined && { effort }),
})
