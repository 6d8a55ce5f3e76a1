import {
  Database,
  Erasers,
  ok,
  sleep,
  timeLimit,
  type AgentBundle,
  type AgentClient,
  type Failure,
  type Logger,
  type Result,
  type SessionId,
  type TenantId,
} from '@amodal/sdk'
import { eraseContent, eraseCopies } from '@amodal/sdk/database'
import type { TrialParts } from '../trial/trial-parts.ts'
import { TESTER } from '../trial/trial-parts.ts'
import { clearStores } from '../trial/trial-stores.ts'

/** ms for emptying the tenant of a trial. */
const CLEAR_MS = 30_000
/** ms between looks whether the runs of a trial have ended. */
const REST_MS = 50
/** Sessions that are asked for at a time. */
const PAGE = 100

type Outcome = Promise<Result<void, Failure>>
type Parts = Pick<TrialParts, 'agent' | 'generation'> & { readonly log: Logger }

/** Removes all that trials have left in their tenants. */
export class TenantCleaner {
  readonly #parts: Parts
  /** Erasers work for one erasure at a time. */
  #erasures: Promise<unknown> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * @param trial with the sessions that it is known to have; left out: they are looked for
   * @returns whether nothing is in its tenant any more, but hashes in the audit log
   */
  async clear(
    trial: { readonly tenant: TenantId; readonly sessions?: ReadonlySet<SessionId> },
    bundle: AgentBundle,
  ): Promise<boolean> {
    const limit = timeLimit(CLEAR_MS, 'emptying the tenant of a trial')
    const cleared = await this.#clear(trial, bundle, limit)
    if (cleared.ok) return true
    const { code, message } = cleared.error
    this.#parts.log.warn('evals.not_cleared', { tenant: trial.tenant, code, message })
    return false
  }

  async #clear(
    { sessions: known, tenant }: Parameters<TenantCleaner['clear']>[0],
    bundle: AgentBundle,
    limit: AbortSignal,
  ): Outcome {
    const client = this.#parts.agent.as({ tenant, principal: TESTER })
    const found = known ? ok([...known]) : await sessionsIn(client, limit)
    if (!found.ok) return found
    const cancelled = await forEach(found.value, (session) => client.cancel(session, limit))
    if (!cancelled.ok) return cancelled
    // What erasers find by its session has to go before the session.
    const first = await this.#eraseAtRest(tenant, limit)
    if (!first.ok) return first
    const removed = await forEach(found.value, (session) => client.remove(session, limit))
    if (!removed.ok) return removed
    const cleared = await clearStores(this.#parts, { tenant }, bundle, limit)
    // What was written about all that, such as the text of the audit log.
    return cleared.ok ? this.#erase(tenant, limit) : cleared
  }

  /** A run that was cancelled may take a moment to end. */
  async #eraseAtRest(tenant: TenantId, limit: AbortSignal): Outcome {
    for (;;) {
      const erased = await this.#erase(tenant, limit)
      if (erased.ok || erased.error.code !== 'RUN_ACTIVE' || limit.aborted) return erased
      await sleep(REST_MS, limit)
    }
  }

  #erase(tenant: TenantId, signal: AbortSignal): Outcome {
    const generation = this.#parts.generation()
    const database = generation.scope.find(Database)
    if (!database) return Promise.resolve(ok(undefined))
    const erasers = generation.registry(Erasers)
    const request = { principal: TESTER, tenant }
    const erasure = this.#erasures.then(async () => {
      const erased = await eraseContent(database, erasers, request, { dryRun: false, signal })
      return erased.ok ? eraseCopies(erasers) : erased
    })
    this.#erasures = erasure.catch(() => undefined)
    return erasure
  }
}

async function sessionsIn(
  client: AgentClient,
  limit: AbortSignal,
): Promise<Result<readonly SessionId[], Failure>> {
  const page = await client.sessions({ limit: PAGE }, limit)
  return page.ok ? ok(page.value.rows.map(({ session }) => session)) : page
}

/** Does it to each of them; to those that are gone, nothing. */
async function forEach(
  sessions: readonly SessionId[],
  act: (session: SessionId) => Promise<Result<unknown, Failure>>,
): Outcome {
  for (const session of sessions) {
    const done = await act(session)
    if (!done.ok && done.error.code !== 'SESSION_NOT_FOUND') return done
  }
  return ok(undefined)
}
