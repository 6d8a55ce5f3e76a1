import { err, failure, ok, type Agent, type Failure, type Result } from '@amodal/sdk'
import { EvalInvalid, EvalsUnavailable } from '../errors.ts'
import type { EvalRequest, EvalRun, RunStore } from '../results/result.ts'
import { headerOf } from '../results/run-of.ts'
import type { EvalRunner } from '../run/eval-runner.ts'
import { settingsOf } from '../settings.ts'
import type { Owner, RunJobs } from './run-jobs.ts'
import type { RunStores } from './run-stores.ts'

type Outcome<T> = Promise<Result<T, Failure>>

/** What a request may say; tools that are called themselves are the settings' matter. */
export type RunOrder = Partial<Omit<EvalRequest, 'real'>>

/** A run, and who has it: this server, or the command line in files. */
export interface FoundRun {
  readonly run: EvalRun
  readonly source: 'server' | 'files'
}

interface Parts {
  readonly agent: Agent
  readonly runner: EvalRunner
  readonly stores: RunStores
  readonly jobs: RunJobs | undefined
  /** Stops a run at once where it is at work in this process. */
  readonly stop: (run: string) => void
}

/** Runs of a server, each of the tenant of whoever started it. */
export class RunService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async start(owner: Owner, order: RunOrder): Outcome<string> {
    const { agent, jobs, runner, stores } = this.#parts
    if (!jobs) return err(EvalsUnavailable('this server has no job queue'))
    const settings = settingsOf(agent.bundle() ?? { parts: {} })
    const budget = order.budget ?? settings.budget
    const request: EvalRequest = {
      ...order,
      runs: order.runs ?? 1,
      concurrency: order.concurrency ?? settings.concurrency,
      real: settings.real,
      ...(budget !== undefined && { budget }),
    }
    const begun = await runner.begin(request, stores.of(owner))
    if (!begun.ok) return begun
    const { id } = begun.value.header
    return this.#published(jobs, owner, id)
  }

  /** The newest first, without their results' lines, turns and calls. */
  async list(owner: Owner, limit: number): Promise<readonly FoundRun[]> {
    const { stores } = this.#parts
    const [own, files = []] = await Promise.all([
      stores.of(owner).list(limit),
      stores.ofCommandLine(owner)?.list(limit),
    ])
    return [
      ...own.map((run): FoundRun => ({ run, source: 'server' })),
      ...files.map((run): FoundRun => ({ run, source: 'files' })),
    ]
      .sort((a, b) => (a.run.startedAt < b.run.startedAt ? 1 : -1))
      .slice(0, limit)
  }

  async find(owner: Owner, id: string): Outcome<FoundRun> {
    const { stores } = this.#parts
    const own = await stores.of(owner).find(id)
    if (own) return ok({ run: own, source: 'server' })
    const run = await stores.ofCommandLine(owner)?.find(id)
    return run ? ok({ run, source: 'files' }) : unknown()
  }

  /** A run that has ended stays as it is. */
  async cancel(owner: Owner, id: string): Outcome<EvalRun> {
    const found = await this.#own(owner, id)
    if (!found.ok) return found
    const { run, store } = found.value
    if (run.status === 'open') await store.end(id, 'cancelled')
    this.#parts.stop(id)
    return ok((await store.find(id)) ?? run)
  }

  /** @param budget of the whole run; left out: none, where the run has used its own up */
  async resume(owner: Owner, id: string, budget: number | undefined): Outcome<string> {
    const { jobs, runner } = this.#parts
    if (!jobs) return err(EvalsUnavailable('this server has no job queue'))
    const found = await this.#own(owner, id)
    if (!found.ok) return found
    const { run, store } = found.value
    if (run.status === 'done') return err(EvalInvalid('this run is complete'))
    const { budget: before, ...request } = run.request
    const next = budget ?? (run.status === 'budget' ? undefined : before)
    const header = { ...headerOf(run), request: { ...request, ...(next && { budget: next }) } }
    const prepared = runner.resume({ ...run, ...header })
    if (!prepared.ok) return prepared
    await store.reopen(header)
    return this.#published(jobs, owner, id)
  }

  async #own(
    owner: Owner,
    id: string,
  ): Outcome<{ readonly run: EvalRun; readonly store: RunStore }> {
    const store = this.#parts.stores.of(owner)
    const run = await store.find(id)
    if (run) return ok({ run, store })
    const isOfCommandLine = await this.#parts.stores.ofCommandLine(owner)?.find(id)
    return isOfCommandLine
      ? err(EvalInvalid(`this run is the command line's: amodal eval --resume ${id}`))
      : unknown()
  }

  async #published(jobs: RunJobs, owner: Owner, id: string): Outcome<string> {
    if (this.#parts.stores.publishes) return ok(id)
    const published = await jobs.publish(owner, id)
    return published.ok ? ok(id) : published
  }
}

const unknown = (): Result<never, Failure> => err(failure('NOT_FOUND', 'there is no such run'))
