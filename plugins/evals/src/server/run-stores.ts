import { LOCAL_TENANT, type Agent, type Database } from '@amodal/sdk'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseRuns } from '../database/database-runs.ts'
import type { RunStore } from '../results/result.ts'
import { RunFiles } from '../results/run-files.ts'
import { RunMemory } from '../results/run-memory.ts'
import { relatedCases, type RelatedCases } from '../run/related-cases.ts'
import type { Owner, RunJobs } from './run-jobs.ts'

interface Parts {
  readonly agent: Agent
  readonly database: Database | undefined
  readonly jobs: RunJobs | undefined
}

/** Where runs of a server are stored: each tenant has its own. */
export class RunStores {
  readonly #parts: Parts
  /** One for each folder or tenant, since each writes line after line. */
  readonly #others = new Map<string, RunStore>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The database, or else the agent folder, or else memory. */
  of(owner: Owner): RunStore {
    const { database, jobs } = this.#parts
    if (!database) return this.#files(owner) ?? this.#other(owner.tenant, () => new RunMemory())
    return new DatabaseRuns(
      database,
      owner,
      jobs?.isTransactional === true ? (run, { id }) => jobs.publishIn(run, owner, id) : undefined,
    )
  }

  /** Whether a run has its job once its store has written it. */
  get publishes(): boolean {
    const { database, jobs } = this.#parts
    return database !== undefined && jobs?.isTransactional === true
  }

  /** Runs of the command line, beside those of a database: for whoever is on this machine. */
  ofCommandLine(owner: Owner): RunStore | undefined {
    const isLocal = owner.tenant === LOCAL_TENANT
    return this.#parts.database && isLocal ? this.#files(owner) : undefined
  }

  /** The cases that depend on files. */
  async related(files: readonly string[], owner: Owner): Promise<RelatedCases> {
    const bundle = this.#parts.agent.bundle()
    if (!bundle) return { cases: [], total: 0 }
    const commandLine = this.ofCommandLine(owner)
    return relatedCases(files, bundle, [this.of(owner), ...(commandLine ? [commandLine] : [])])
  }

  #files({ tenant }: Owner): RunStore | undefined {
    const root = this.#parts.agent.bundle()?.root
    if (root === undefined) return undefined
    const folder = join(root, '.amodal', 'evals')
    const own = tenant === LOCAL_TENANT ? folder : join(folder, 'tenants', hashed(tenant))
    return this.#other(own, () => new RunFiles(own))
  }

  #other(name: string, create: () => RunStore): RunStore {
    const known = this.#others.get(name)
    if (known) return known
    const created = create()
    this.#others.set(name, created)
    return created
  }
}

const hashed = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)
