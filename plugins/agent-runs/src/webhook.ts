import {
  failure,
  sessionId,
  type Failure,
  type Job,
  type JobOutcome,
  type JsonObject,
  type Outbound,
  type Result,
  type Secrets,
} from '@amodal/sdk'
import { postWebhook, webhookHeaders, webhookJobOutcome } from '@amodal/sdk/wire'
import { callerOf } from './run-end.ts'
import type { RunReader } from './run-reader.ts'
import { pendingInput, summaryOf, type RunView } from './run-status.ts'
import type { RunTable } from './run-table.ts'
import type { ArtifactService } from './artifact-service.ts'
import type { ArtifactTable } from './artifact-table.ts'

/** ms for one delivery. */
const DELIVERY_MS = 15_000

interface WebhookParts {
  readonly artifacts: ArtifactTable
  readonly artifactService: ArtifactService
  readonly clock: { now(): number }
  readonly outbound: Outbound
  readonly privateOrigins: readonly string[]
  readonly reader: RunReader
  readonly secret?: string | undefined
  readonly secrets: Secrets
  readonly table: RunTable
}

/**
 * Tells a receiver of a run, at least once: the queue tries again under the same `webhook-id`.
 *
 * @see https://www.standardwebhooks.com
 */
export class Webhooks {
  readonly #parts: WebhookParts

  constructor(parts: WebhookParts) {
    this.#parts = parts
  }

  async work({ id, data, tenant }: Job, signal: AbortSignal): Promise<JobOutcome> {
    const { session, event, ask } = data
    if (typeof session !== 'string' || typeof event !== 'string' || tenant === undefined)
      return { kind: 'dead', reason: 'the job names no event of a run' }
    const row = await this.#parts.table.find({ tenant, session: sessionId(session) })
    if (!row.ok) return again(row.error)
    if (!row.value || row.value.webhook === null) return { kind: 'done' }
    const caller = callerOf(row.value)
    const look = await this.#parts.reader.look(caller, row.value)
    if (!look.ok) return again(look.error)
    const artifact = await this.#parts.artifacts.lastOf(tenant, session)
    const written = artifact.ok ? artifact.value : undefined
    const body = bodyOf(look.value.view, {
      event,
      ask: typeof ask === 'string' ? ask : undefined,
      artifact: written,
      link:
        written === undefined
          ? undefined
          : await this.#parts.artifactService.linkOf(row.value, caller, written),
    })
    return this.#deliver(row.value.webhook, id, body, signal)
  }

  async #deliver(url: string, id: string, body: string, signal: AbortSignal): Promise<JobOutcome> {
    const { clock, outbound, privateOrigins } = this.#parts
    const secret = this.#secret()
    if (!secret.ok) return again(secret.error)
    const now = clock.now()
    const { verdict } = await postWebhook({
      outbound,
      url,
      id,
      body,
      headers: webhookHeaders(id, body, secret.value, now),
      now,
      timeoutMs: DELIVERY_MS,
      privateOrigins,
      signal,
    })
    return webhookJobOutcome(verdict)
  }

  #secret(): Result<string, Failure> {
    const { secret, secrets } = this.#parts
    return secret === undefined
      ? { ok: false, error: failure('ENV_NOT_SET', 'webhooks have no secret') }
      : secrets.resolve(secret, '`webhooks.secret` of agent-runs')
  }
}

function bodyOf(
  view: RunView,
  {
    event,
    ask,
    artifact,
    link,
  }: {
    readonly event: string
    readonly ask: string | undefined
    readonly artifact: string | undefined
    readonly link: string | undefined
  },
): string {
  const pending = view.session?.asks.find(({ id }) => id === ask)
  const data: JsonObject = {
    ...summaryOf(view, artifact),
    ...(link !== undefined && { result_artifact_url: link }),
    ...(ask !== undefined && { ask_id: ask }),
    ...(pending && { pending_input: pendingInput(pending) }),
  }
  return JSON.stringify({ type: event, data })
}

const again = ({ code, message }: Failure): JobOutcome => ({
  kind: 'retry',
  reason: `${code}: ${message}`,
  burnsAttempt: true,
})
