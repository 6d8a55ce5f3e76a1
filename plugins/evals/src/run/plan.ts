import { err, ok, type AgentBundle, type Failure, type Generation, type Result } from '@amodal/sdk'
import { suitesOf, type EvalSuite } from '../definition.ts'
import { EvalInvalid } from '../errors.ts'
import type { EvalRequest, RunHeader, Variant } from '../results/result.ts'
import type { PlannedTrial } from './grade-trial.ts'
import { caseName } from './touched-cases.ts'
import { readModel, variantsOf } from './variants.ts'

/** All trials of a run, in the order in which their results are shown. */
export interface Plan {
  readonly suites: readonly EvalSuite[]
  readonly variants: readonly Variant[]
  readonly trials: readonly PlannedTrial[]
}

/** What a request comes to with the agent's files as they are. */
export function planOf(
  request: EvalRequest,
  generation: Generation,
  bundle: AgentBundle,
): Result<Plan, Failure> {
  const suites = chosenSuites(request, suitesOf(bundle))
  if (!suites.ok) return suites
  const variants = variantsOf(request, generation, bundle)
  if (!variants.ok) return variants
  return ok(planned(suites.value, variants.value, request))
}

/**
 * The plan that a run was begun with.
 *
 * @returns an error where a file of it has changed since: half of its results would be of another
 *   case
 */
export function planAgain(run: RunHeader, bundle: AgentBundle): Result<Plan, Failure> {
  const now = new Map(suitesOf(bundle).map((suite) => [suite.name, suite]))
  const changed = run.suites.filter(({ hash, name }) => now.get(name)?.hash !== hash)
  if (changed.length > 0 || run.bundle !== bundle.hash)
    return err(
      EvalInvalid(
        `the agent's files have changed since ${run.id} began${changed.length > 0 ? ` (${changed.map(({ name }) => name).join(', ')})` : ''}: start another run`,
      ),
    )
  const suites = run.suites.flatMap(({ name }) => now.get(name) ?? [])
  const chosen = chosenSuites(run.request, suites)
  // Settings of a model, its key among them, are not stored with the run.
  const variants = run.variants.map(({ model, name }) => ({
    name,
    ...(model && { model: readModel(name, bundle) ?? model }),
  }))
  return chosen.ok ? ok(planned(chosen.value, variants, run.request)) : chosen
}

function planned(
  suites: readonly EvalSuite[],
  variants: readonly Variant[],
  { runs }: EvalRequest,
): Plan {
  const places = suites.flatMap((suite) =>
    suite.cases.flatMap((evalCase) =>
      variants.flatMap((variant) =>
        Array.from({ length: runs }, (_, trial) => ({
          suite: suite.name,
          case: evalCase,
          variant,
          trial,
        })),
      ),
    ),
  )
  return { suites, variants, trials: places.map((place, index) => ({ index, ...place })) }
}

function chosenSuites(
  { cases, suites: names = [], tags = [] }: Pick<EvalRequest, 'cases' | 'suites' | 'tags'>,
  all: readonly EvalSuite[],
): Result<readonly EvalSuite[], Failure> {
  const known = new Set(
    all.flatMap(({ cases: own, name }) => own.map((one) => caseName(name, one))),
  )
  const missing = cases?.find((one) => !known.has(one))
  if (missing !== undefined)
    return err(EvalInvalid(`there is no case "${missing}": name it SUITE/CASE`))
  const unknown = names.filter((name) => !all.some((suite) => isNamed(suite, name)))
  if (unknown.length > 0)
    return err(
      EvalInvalid(
        `there is no suite "${unknown[0] ?? ''}"; there are: ${all.map(({ name }) => name).join(', ') || 'none'}`,
      ),
    )
  const named =
    names.length === 0 ? all : all.filter((one) => names.some((name) => isNamed(one, name)))
  const tagged = named.map((suite) => ({
    ...suite,
    cases: suite.cases.filter(
      (one) =>
        (tags.length === 0 || one.tags.some((tag) => tags.includes(tag))) &&
        (!cases || cases.includes(caseName(suite.name, one))),
    ),
  }))
  const chosen = tagged.filter(({ cases }) => cases.length > 0)
  return chosen.length > 0
    ? ok(chosen)
    : err(EvalInvalid('there is no case to run: write one into the folder evals/'))
}

/** By its name, by its file, or by its file's name. */
const isNamed = ({ file, name: own }: EvalSuite, name: string): boolean =>
  name === own || name === file || `evals/${name}` === file
