import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  err,
  ok,
  timeLimit,
  type Agent,
  type AgentBundle,
  type Caller,
  type Failure,
  type ModelConfig,
  type Result,
  type SessionId,
} from '@amodal/sdk'
import type { Change } from '../change/change.ts'
import { changedBundle, type DocumentChange } from '../change/changed-bundle.ts'
import type { FileChange } from '../change/file-changes.ts'
import { ChangeInvalid, EvalInvalid } from '../errors.ts'
import type { ChangeReport } from '../replay/change-report.ts'
import { Overlay } from '../replay/overlay.ts'
import { readAs, readRecording } from '../replay/recording.ts'
import type { Replays } from '../replay/replay.ts'
import { baselineOf, runBranch } from '../replay/run-branch.ts'
import { readModel } from '../run/variants.ts'
import type { TenantCleaner } from '../run/tenant-cleaner.ts'

export interface ReplayServiceParts {
  readonly agent: Agent
  readonly replays: Replays
  readonly cleaner: TenantCleaner
  readonly ownerOf: (tool: string) => string | undefined
}

/** A change that a client may send. */
export type SentChange = DocumentChange | Extract<Change, { kind: 'model' }>

/** A replay that was asked for, as it is shown until the server stops. */
export interface StoredReplay {
  readonly id: string
  /** ms since the epoch. */
  readonly at: number
  readonly changes: readonly string[]
  readonly report: ChangeReport
}

/** ms for one replay, requests to the model included. */
const LIMIT_MS = 300_000
/** Of a tenant, the newest. */
const MOST_STORED = 20

/** Replays sessions of a caller's tenant on a server, as what the caller may see of them. */
export class ReplayService {
  readonly #parts: ReplayServiceParts
  readonly #stored = new Map<string, readonly StoredReplay[]>()
  /** Tenants with a replay that has not ended. */
  readonly #busy = new Set<string>()
  #last = 0

  constructor(parts: ReplayServiceParts) {
    this.#parts = parts
  }

  /** The replays of a tenant, the newest first. */
  list({ tenant }: Caller): readonly StoredReplay[] {
    return this.#stored.get(tenant) ?? []
  }

  /**
   * Replays a session, with the agent as it is or with changes. One at a time for each tenant.
   *
   * @returns the report; `EVAL_INVALID` while another one runs, `EVAL_CHANGE_INVALID` where a
   *   change does not fit the agent
   */
  async replay(
    caller: Caller,
    session: SessionId,
    changes: readonly SentChange[],
    signal: AbortSignal,
  ): Promise<Result<StoredReplay, Failure>> {
    const { tenant } = caller
    if (this.#busy.has(tenant))
      return err(EvalInvalid('another replay of this tenant runs: wait until it has ended'))
    this.#busy.add(tenant)
    try {
      const limit = timeLimit(LIMIT_MS, 'replaying a session', signal)
      const report = await this.#replay(caller, session, changes, limit)
      if (!report.ok) return report
      const stored = {
        id: String(++this.#last),
        at: Date.now(),
        changes: changes.map(nameOf),
        report: report.value,
      }
      this.#stored.set(tenant, [stored, ...this.list(caller)].slice(0, MOST_STORED))
      return ok(stored)
    } finally {
      this.#busy.delete(tenant)
    }
  }

  async #replay(
    caller: Caller,
    session: SessionId,
    changes: readonly SentChange[],
    signal: AbortSignal,
  ): Promise<Result<ChangeReport, Failure>> {
    const { agent, cleaner } = this.#parts
    const bundle = agent.bundle()
    if (!bundle) return err(EvalInvalid('the agent has no files yet'))
    const overlay = await overlayOf(changes, bundle)
    if (!overlay.ok) return overlay
    const recording = await readRecording(readAs(agent.as(caller)), session)
    if (!recording.ok) return recording
    const parts = { ...this.#parts, ...(caller.roles && { roles: caller.roles }) }
    const baseline = await baselineOf(parts, recording.value, signal)
    if (!baseline.ok) return baseline
    try {
      const request = {
        baseline: baseline.value,
        files: overlay.value.files,
        overlay: overlay.value.overlay,
      }
      return await runBranch(parts, request, signal)
    } finally {
      await cleaner.clear({ tenant: baseline.value.tenant }, bundle)
    }
  }
}

const nameOf = (change: SentChange): string => {
  if (change.kind === 'model') return `model=${change.model}`
  return change.kind === 'prompt' ? 'prompt' : `${change.kind}=${change.name ?? ''}`
}

interface Applied {
  readonly overlay: Overlay
  readonly files: readonly FileChange[]
}

async function overlayOf(
  changes: readonly SentChange[],
  bundle: AgentBundle,
): Promise<Result<Applied, Failure>> {
  const documents = changes.filter((change) => change.kind !== 'model')
  const changed = changedBundle(bundle, documents)
  if (!changed.ok) return changed
  const named = changes.findLast((change) => change.kind === 'model')?.model
  const model = named === undefined ? undefined : modelNamed(named, bundle)
  if (named !== undefined && !model)
    return err(ChangeInvalid(`model: "${named}" is no model: write PROVIDER/MODEL`))
  const files = await Promise.all(
    changed.value.texts.map(async ({ path, text }) => ({
      path,
      before: await textOf(bundle, path),
      after: text,
    })),
  )
  return ok({ overlay: new Overlay(documents, model), files })
}

/** A name alone is one of the provider that the agent has. */
function modelNamed(name: string, bundle: AgentBundle): ModelConfig | undefined {
  const provider = bundle.manifest.models.main?.provider
  return (
    readModel(name, bundle) ??
    (provider === undefined ? undefined : readModel(`${provider}/${name}`, bundle))
  )
}

/** The file as it is now, for the number of the line alone. */
const textOf = ({ root }: AgentBundle, path: string): Promise<string | undefined> =>
  root === undefined
    ? Promise.resolve(undefined)
    : readFile(join(root, path), 'utf8').catch(() => undefined)
