import {
  err,
  LOCAL_TENANT,
  ok,
  timeLimit,
  type Agent,
  type AuditTrail,
  type Caller,
  type Clock,
  type Failure,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import { experimentsOf, variantOf, type Experiment, type Variant } from '../definition.ts'
import { ExperimentEnded, ExperimentInvalid, ExperimentNotFound } from '../errors.ts'
import { writeVariant, type WrittenFiles } from '../promote/write-variant.ts'
import type { Decisions } from '../storage/decisions.ts'
import type { Decision, ExperimentBook } from '../storage/observation.ts'
import { verdictsOf, type VariantVerdict } from '../verdict/verdict.ts'

/** ms for one look at the figures, or one decision. */
const STORE_MS = 10_000

export interface ServiceParts {
  readonly agent: Agent
  readonly bookOf: (tenant: TenantId) => ExperimentBook
  readonly clock: Pick<Clock, 'now'>
  readonly decisions: Decisions
  readonly trail: AuditTrail | undefined
  readonly announce: (tenant: TenantId, facts: { experiment: string; promoted: string }) => void
}

/** An experiment, and what was decided about it. */
export interface FoundExperiment {
  readonly experiment: Experiment
  readonly decision: Decision | undefined
}

/** The same with its figures. */
export interface JudgedExperiment extends FoundExperiment {
  readonly variants: readonly VariantVerdict[]
}

/** What came of a promotion. */
export interface Promotion {
  readonly experiment: string
  readonly variant: string
  /** `files`: they are changed; `server`: they are not, and all sessions that begin get it. */
  readonly where: 'files' | 'server'
  /** Files that were changed. */
  readonly files: readonly string[]
  /** What is still to be done by hand, in words. */
  readonly notes: readonly string[]
}

type Who = Pick<Caller, 'tenant' | 'principal'>

/** What can be done with experiments, over whatever protocol. */
export class ExperimentService {
  readonly #parts: ServiceParts
  readonly #writesFiles: boolean

  /** @param writesFiles a promotion changes the files of the agent, where they can be written */
  constructor(parts: ServiceParts, writesFiles: boolean) {
    this.#parts = parts
    this.#writesFiles = writesFiles
  }

  async list(
    { tenant }: Pick<Who, 'tenant'>,
    signal: AbortSignal,
  ): Promise<Result<readonly FoundExperiment[], Failure>> {
    const decided = await this.#parts.decisions.of(tenant, limitOf(signal))
    if (!decided.ok) return decided
    return ok(
      this.#experiments().map((experiment) => ({
        experiment,
        decision: decided.value.get(experiment.name),
      })),
    )
  }

  /** One with its figures and the verdict. */
  async find(
    { tenant }: Pick<Who, 'tenant'>,
    name: string,
    signal: AbortSignal,
  ): Promise<Result<JudgedExperiment, Failure>> {
    const found = await this.#found(tenant, name, signal)
    if (!found.ok) return found
    const { experiment } = found.value
    const figures = await this.#parts.bookOf(tenant).figures(experiment, limitOf(signal))
    if (!figures.ok) return figures
    return ok({ ...found.value, variants: verdictsOf(experiment, figures.value) })
  }

  /** Sessions that begin from now on take part no more. */
  async stop(caller: Who, name: string, signal: AbortSignal): Promise<Result<Decision, Failure>> {
    const found = await this.#found(caller.tenant, name, signal)
    if (!found.ok) return found
    const { decision, experiment } = found.value
    if (decision || experiment.status === 'stopped') return err(alreadyEnded(found.value))
    return this.#decide(caller, { experiment: name }, signal)
  }

  /** All sessions that begin from now on get this variant; where possible it becomes the files. */
  async promote(
    caller: Who,
    name: string,
    variantName: string,
    signal: AbortSignal,
  ): Promise<Result<Promotion, Failure>> {
    const found = await this.#found(caller.tenant, name, signal)
    if (!found.ok) return found
    const { decision, experiment } = found.value
    const variant = variantOf(experiment, variantName)
    if (!variant)
      return err(
        ExperimentInvalid(
          `there is no variant "${variantName}" in "${name}"; there are: ${experiment.variants.map((one) => one.name).join(', ')}`,
        ),
      )
    // What a server gives everybody may still become its files.
    const isSame = decision === undefined || decision.promoted === variantName
    if (experiment.status === 'stopped' || !isSame) return err(alreadyEnded(found.value))
    const written = await this.#write(caller, experiment, variant, signal)
    if (!written.ok) return written
    if (!decision) {
      const decided = await this.#decide(
        caller,
        { experiment: name, promoted: variantName },
        signal,
      )
      if (!decided.ok) return decided
    }
    const { files, notes, where } = written.value
    return ok({ experiment: name, variant: variantName, where, files, notes })
  }

  async #write(
    { principal, tenant }: Who,
    experiment: Experiment,
    variant: Variant,
    signal: AbortSignal,
  ): Promise<Result<WrittenFiles, Failure>> {
    const { agent, clock } = this.#parts
    const root = agent.bundle()?.root
    const elsewhere = (note: string): Result<WrittenFiles, Failure> =>
      variant.commit === undefined && variant.settings === undefined
        ? ok({ where: 'server', files: [], notes: [note] })
        : err(ExperimentInvalid(`the variant "${variant.name}" cannot be used without its files`))
    if (root === undefined)
      return elsewhere('This agent has no folder: change it where it is made.')
    if (!this.#writesFiles || tenant !== LOCAL_TENANT)
      return elsewhere(
        `The files are as before: run amodal ops experiment ${experiment.name} --promote ${variant.name} in the folder of the agent, and deploy it.`,
      )
    const now = (): number => clock.now()
    return writeVariant({ agent, root, experiment, variant, principal, now }, signal)
  }

  async #decide(
    { principal, tenant }: Who,
    facts: Pick<Decision, 'experiment' | 'promoted'>,
    signal: AbortSignal,
  ): Promise<Result<Decision, Failure>> {
    const { announce, clock, decisions, trail } = this.#parts
    const decision: Decision = { ...facts, principal, at: clock.now() }
    const decided = await decisions.add(tenant, decision, limitOf(signal))
    if (!decided.ok) return decided
    if (!decided.value)
      return err(ExperimentEnded(`somebody else has just decided about "${facts.experiment}"`))
    const { experiment, promoted = '' } = facts
    trail?.record({
      tenant,
      principal,
      at: decision.at,
      kind: 'experiment_decided',
      key: `experiment:${experiment}:${decision.at}`,
      data: { experiment, decision: promoted === '' ? 'stopped' : 'promoted', variant: promoted },
    })
    announce(tenant, { experiment, promoted })
    return ok(decision)
  }

  #experiments(): readonly Experiment[] {
    const bundle = this.#parts.agent.bundle()
    return bundle ? experimentsOf(bundle) : []
  }

  async #found(
    tenant: TenantId,
    name: string,
    signal: AbortSignal,
  ): Promise<Result<FoundExperiment, Failure>> {
    const experiment = this.#experiments().find((one) => one.name === name)
    if (!experiment) {
      const names = this.#experiments().map((one) => one.name)
      return err(
        ExperimentNotFound(
          `there is no experiment "${name}"; there are: ${names.join(', ') || 'none'}`,
        ),
      )
    }
    const decided = await this.#parts.decisions.of(tenant, limitOf(signal))
    return decided.ok ? ok({ experiment, decision: decided.value.get(name) }) : decided
  }
}

const limitOf = (signal: AbortSignal): AbortSignal =>
  timeLimit(STORE_MS, 'asking for experiments', signal)

function alreadyEnded({ decision, experiment }: FoundExperiment): Failure {
  const promoted = decision?.promoted ?? experiment.promoted
  return ExperimentEnded(
    promoted === undefined
      ? `"${experiment.name}" is stopped`
      : `"${promoted}" of "${experiment.name}" is promoted`,
  )
}
