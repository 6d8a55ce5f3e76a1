import { chooseModel, hashOf, type AgentBundle, type Generation } from '@amodal/sdk'
import type { Inventory, InventoryItem } from '@amodal/sdk/inspection'
import { agentsOf, type SubagentDefinition } from '@amodal/plugin-subagents/tokens'
import { BUILT_IN_PROFILES } from './built-in-profiles.ts'
import type { AgentProfile } from './profile.ts'
import { AgentProfiles } from './tokens.ts'

/** The profile that is always there: the agent as it is. */
export const WHOLE_AGENT = 'agent'

/** The profiles of one wiring and one set of the agent's files. */
export class Profiles implements Inventory {
  readonly title = 'Run profiles'
  readonly #configured: readonly AgentProfile[]
  readonly #generation: () => Generation

  constructor(configured: readonly AgentProfile[], generation: () => Generation) {
    this.#configured = configured
    this.#generation = generation
  }

  /** As `/inspect/context` and `amodal inspect` list them. */
  items(bundle: AgentBundle): readonly InventoryItem[] {
    return this.all(bundle).map((profile) => {
      const { id, name, description, maxTurns, resultSchema, producesArtifactType } = profile
      const model = this.modelOf(profile, bundle)
      return {
        name: id,
        about: [name, ...(model === null ? [] : [model])].join(', '),
        facts: {
          title: name,
          ...(description !== undefined && { description }),
          model,
          ...(maxTurns !== undefined && { maxTurns }),
          hasResultSchema: resultSchema !== undefined,
          ...(producesArtifactType !== undefined && { producesArtifactType }),
        },
      }
    })
  }

  /** Those that come later in this order replace earlier ones of the same id. */
  all(bundle: AgentBundle | undefined): readonly AgentProfile[] {
    const files = bundle ? agentsOf(bundle).map(ofFile) : []
    const plugins = [...this.#generation().registry(AgentProfiles).values()]
    const whole = bundle ? [wholeAgent(bundle)] : []
    const profiles = new Map([...whole, ...BUILT_IN_PROFILES].map((one) => [one.id, one]))
    for (const profile of [...files, ...plugins, ...this.#configured])
      profiles.set(profile.id, { ...builtIn(profile.id), ...profile })
    return [...profiles.values()]
  }

  find(id: string, bundle: AgentBundle | undefined): AgentProfile | undefined {
    return this.all(bundle).find((profile) => profile.id === id)
  }

  /** How many runs with them may work at the same time, by profile; others have no limit. */
  limits(bundle: AgentBundle | undefined): Readonly<Record<string, number>> {
    const limited = this.all(bundle).flatMap(({ id, concurrency }) =>
      concurrency === undefined ? [] : [[id, concurrency] as const],
    )
    return Object.fromEntries(limited)
  }

  /** The name of the model that a profile runs with; `null` where none is configured. */
  modelOf({ model }: AgentProfile, bundle: AgentBundle | undefined): string | null {
    const chosen = bundle && chooseModel(this.#generation(), bundle, model ?? 'main')
    return chosen ? `${chosen.provider}/${chosen.model}` : null
  }
}

const builtIn = (id: string): AgentProfile | undefined =>
  BUILT_IN_PROFILES.find((profile) => profile.id === id)

const wholeAgent = ({ manifest }: AgentBundle): AgentProfile => ({
  id: WHOLE_AGENT,
  name: manifest.name,
  description: 'The agent with its own instructions and all of its tools.',
  version: manifest.version,
})

/** An agent of `agents/`. Its rounds of tools are turns, and one more turn is its answer. */
function ofFile(definition: SubagentDefinition): AgentProfile {
  const { name, displayName, description, prompt, tools, maxToolRounds, maxTokens } = definition
  const { modelTier, resultSchema, artifactType } = definition
  return {
    id: name,
    name: displayName,
    description,
    version: hashOf({ ...definition }).slice(0, 12),
    instructions: prompt,
    ...(tools && { tools }),
    ...(maxToolRounds !== undefined && { maxTurns: maxToolRounds + 1 }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(modelTier !== 'default' && { model: modelTier }),
    ...(resultSchema && { resultSchema }),
    ...(artifactType !== undefined && { producesArtifactType: artifactType }),
  }
}
