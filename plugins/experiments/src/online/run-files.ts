import type { AgentBundle, JsonObject, Logger } from '@amodal/sdk'
import type { ChosenFiles, RunFiles, RunOpening } from '@amodal/plugin-loop/tokens'
import { experimentsOf, isOnline, variantOf, type Experiment, type Variant } from '../definition.ts'
import type { Decisions } from '../storage/decisions.ts'
import type { Decision } from '../storage/observation.ts'
import { assign } from './assign.ts'
import { participationsOf, participationState } from './participation.ts'
import { VariantBundles } from './variant-bundle.ts'

/** Sessions that nobody has for themselves: tests of the agent, and its automations. */
const OTHERS: readonly string[] = ['evals', 'evals-replay', 'automations']

interface Parts {
  readonly decisions: Decisions
  readonly log: Logger
}

/** Gives each run the files of the variants that its session takes part in. */
export class ExperimentFiles implements RunFiles {
  readonly #parts: Parts
  readonly #bundles = new VariantBundles()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async choose(bundle: AgentBundle, opening: RunOpening): Promise<ChosenFiles> {
    const experiments = experimentsOf(bundle)
    if (experiments.length === 0) return { bundle }
    const recorded = participationsOf(opening.sessionState)
    const fresh =
      opening.opensSession && takesPart(opening.sessionState)
        ? await this.#assigned(experiments, opening)
        : new Map<string, string>()
    const variants = this.#variants(experiments, { ...Object.fromEntries(fresh), ...recorded })
    return {
      bundle: this.#bundles.of(bundle, variants),
      ...(fresh.size > 0 && { sessionState: participationState(fresh) }),
    }
  }

  /** What a session that begins now takes part in. */
  async #assigned(
    experiments: readonly Experiment[],
    opening: RunOpening,
  ): Promise<ReadonlyMap<string, string>> {
    const decided = await this.#parts.decisions.of(opening.tenant, opening.signal)
    if (!decided.ok) {
      const { code, message } = decided.error
      this.#parts.log.warn('experiments.not_assigned', { code, message })
      return new Map()
    }
    return new Map(
      experiments.flatMap((experiment): readonly [string, string][] => {
        const variant = variantFor(experiment, decided.value.get(experiment.name), opening)
        return variant === undefined ? [] : [[experiment.name, variant]]
      }),
    )
  }

  #variants(
    experiments: readonly Experiment[],
    names: Readonly<Record<string, string>>,
  ): ReadonlyMap<string, Variant> {
    const found = new Map<string, Variant>()
    for (const [name, variantName] of Object.entries(names)) {
      const experiment = experiments.find((one) => one.name === name)
      const variant = experiment && variantOf(experiment, variantName)
      if (variant) found.set(name, variant)
      else
        this.#parts.log.warn('experiments.variant_gone', { experiment: name, variant: variantName })
    }
    return found
  }
}

/** What a session that begins now gets; what the files say of an end comes before all else. */
function variantFor(
  experiment: Experiment,
  decision: Decision | undefined,
  opening: RunOpening,
): string | undefined {
  if (experiment.status === 'stopped') return undefined
  if (decision) return decision.promoted
  return isOnline(experiment) ? assign(experiment, opening) : undefined
}

const takesPart = (state: JsonObject): boolean => !OTHERS.some((key) => key in state)
