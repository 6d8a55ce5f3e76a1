import type { EvalRun, RunError, RunHeader, RunStatus, RunStore, TrialResult } from './result.ts'
import { runOf } from './run-of.ts'

interface Remembered {
  header: RunHeader
  readonly results: TrialResult[]
  end: { readonly status: RunStatus; readonly error?: RunError }
}

/** Runs of a process that has neither a database nor an agent folder. */
export class RunMemory implements RunStore {
  readonly #runs = new Map<string, Remembered>()
  readonly #judgements = new Map<string, string>()

  async begin(header: RunHeader): Promise<void> {
    this.#runs.set(header.id, { header, results: [], end: { status: 'open' } })
  }

  async add(run: string, result: TrialResult): Promise<void> {
    this.#runs.get(run)?.results.push(result)
  }

  async end(run: string, status: RunStatus, error?: RunError): Promise<void> {
    const found = this.#runs.get(run)
    if (found?.end.status === 'open') found.end = { status, ...(error && { error }) }
  }

  async reopen(header: RunHeader): Promise<void> {
    const found = this.#runs.get(header.id)
    if (found) Object.assign(found, { header, end: { status: 'open' } })
  }

  async find(run: string): Promise<EvalRun | undefined> {
    const found = this.#runs.get(run)
    return found && runOf(found.header, found.results, found.end)
  }

  async statusOf(run: string): Promise<RunStatus | undefined> {
    return this.#runs.get(run)?.end.status
  }

  async list(limit: number): Promise<readonly EvalRun[]> {
    return [...this.#runs.values()]
      .toReversed()
      .slice(0, limit)
      .map(({ end, header, results }) => runOf(header, results, end))
  }

  async judgement(key: string): Promise<string | undefined> {
    return this.#judgements.get(key)
  }

  async addJudgement(key: string, reply: string): Promise<void> {
    this.#judgements.set(key, reply)
  }
}
