import {
  askId,
  failure,
  hashOf,
  ok,
  principalId,
  type Agent,
  type Caller,
  type Failure,
  type JsonObject,
  type Logger,
  type RequestLimiter,
  type Result,
  type SessionId,
} from '@amodal/sdk'
import { isClosedAsk, isRunEnded } from '@amodal/sdk/wire'
import { newSessionId } from '@amodal/sdk/loop'
import type { ArtifactTable } from './artifact-table.ts'
import type { ArtifactService } from './artifact-service.ts'
import { ProfileUnknown, RunConflict } from './errors.ts'
import type { AgentProfile } from './profile.ts'
import type { Profiles } from './profiles.ts'
import type { RunEnd } from './run-end.ts'
import type { RunEvent } from './run-events.ts'
import type { RunJobs } from './run-jobs.ts'
import type { Look, RunReader } from './run-reader.ts'
import { failedReply, NOT_FOUND, replied, unsuccessful, type RunReply } from './run-reply.ts'
import { listedRun, pageOfRuns } from './run-list.ts'
import type { EventsQuery, ListQuery, ResumeRequest, StartRequest } from './run-request.ts'
import { detailsOf, statusOf, type RunView } from './run-status.ts'
import { refOf, type RunRow, type RunTable } from './run-table.ts'

/** Events that a status carries at most. */
const MOST_EVENTS = 50

export interface ServiceParts {
  readonly agent: Agent
  readonly artifacts: ArtifactTable
  readonly artifactService: ArtifactService
  /** Whether webhooks can have links. */
  readonly hasLinks: boolean
  readonly end: RunEnd
  readonly jobs: RunJobs
  readonly limiter: RequestLimiter | undefined
  readonly log: Logger
  readonly profiles: Profiles
  readonly reader: RunReader
  readonly table: RunTable
  readonly waitSeconds: number
  /** Whether there is a secret to sign webhooks with. */
  readonly hasWebhooks: boolean
}

/** What callers can do with runs, over whatever protocol they come. */
export class RunService {
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  profiles(): RunReply {
    const { agent, profiles } = this.#parts
    const bundle = agent.bundle()
    return replied({
      profiles: profiles.all(bundle).map((profile) => ({
        id: profile.id,
        name: profile.name,
        description: profile.description,
        version: profile.version,
        max_turns: profile.maxTurns ?? bundle?.manifest.limits.maxTurns ?? null,
        model: profiles.modelOf(profile, bundle),
        produces_artifact_type: profile.producesArtifactType ?? null,
      })),
    })
  }

  /**
   * Starts a run. Once this answers, the run is kept and will be worked on, whatever dies.
   *
   * @param key the same key with the same request is the same run
   */
  async start(
    caller: Caller,
    request: StartRequest,
    key: string | undefined,
    signal: AbortSignal,
  ): Promise<RunReply> {
    const profile = this.#parts.profiles.find(request.profile_id, this.#parts.agent.bundle())
    if (!profile) return failedReply(ProfileUnknown(`there is no profile "${request.profile_id}"`))
    if (request.webhook_url !== undefined && !this.#parts.hasWebhooks)
      return failedReply(
        failure(
          'VALIDATION_ERROR',
          'webhook_url: webhooks have no secret to be signed with (`webhooks.secret` of agent-runs)',
        ),
      )
    if (request.webhook_artifact_link === true && !this.#parts.hasLinks)
      return failedReply(
        failure(
          'VALIDATION_ERROR',
          'webhook_artifact_link: `artifacts.publicUrl` of agent-runs is not set',
        ),
      )
    return this.#limited(caller, async () => {
      const made = await this.#keep(caller, request, profile, key)
      if (!made.ok) return failedReply(made.error)
      return request.async ? queued(made.value) : this.#waited(caller, made.value, signal)
    })
  }

  async #keep(
    caller: Caller,
    request: StartRequest,
    profile: AgentProfile,
    key: string | undefined,
  ): Promise<Result<RunRow, Failure>> {
    const { table } = this.#parts
    const { tenant, principal, roles = [] } = caller
    const { profile_id, task, input_params, webhook_url } = request
    const webhookLink = request.webhook_artifact_link ?? false
    const session = newSessionId()
    const requestHash = hashOf({
      profile_id,
      task,
      input_params: input_params ?? null,
      webhook_url: webhook_url ?? null,
      // left out as it was before there were links: keys of then keep their hash
      ...(webhookLink && { webhookLink }),
    })
    const kept = await table.insert({
      tenant,
      session,
      principal,
      roles,
      // a run without a key has one that nobody else can send
      idem: key === undefined ? `session ${session}` : `key ${key}`,
      request_hash: requestHash,
      profile: profile.id,
      task,
      params: input_params ?? null,
      limits: limitsOf(profile),
      webhook: webhook_url ?? null,
      webhook_link: webhookLink,
    })
    if (!kept.ok) return kept
    const { row, fresh } = kept.value
    if (row.request_hash !== requestHash)
      return { ok: false, error: RunConflict('this key belongs to another request') }
    if (fresh && !row.published) await this.#publish(row)
    return ok(row)
  }

  /** The row is there: where this fails, whoever looks for such rows publishes the job. */
  async #publish(row: RunRow): Promise<void> {
    const { jobs, log, table } = this.#parts
    const published = await jobs.start(row)
    const noted = published.ok ? await table.published(refOf(row)) : published
    if (!noted.ok) log.warn('agent_runs.not_published', { code: noted.error.code })
  }

  /** Waits for the end, for a question, or until it took too long. */
  async #waited(caller: Caller, { session }: RunRow, signal: AbortSignal): Promise<RunReply> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(this.#parts.waitSeconds * 1_000)])
    const id = refOf({ tenant: caller.tenant, session }).session
    let last: RunView | undefined
    for await (const look of this.#parts.reader.watch(caller, id, limit)) {
      if (!look.ok) return failedReply(look.error)
      const settled = await this.#parts.end.settled(look.value.view)
      if (!settled.ok) return failedReply(settled.error)
      last = settled.value
      if (isRunEnded(statusOf(last))) return this.#details(last)
      if (statusOf(last) === 'awaiting_input') break
    }
    if (!last) return NOT_FOUND
    const status = statusOf(last)
    const message =
      status === 'awaiting_input'
        ? 'the run asks a person; resume it with an answer'
        : 'the run goes on; poll its status or follow its stream'
    return unsuccessful(202, status, 'enqueue_failed', message, await this.#snapshot(last))
  }

  async status(
    caller: Caller,
    session: SessionId | undefined,
    includeEvents = false,
  ): Promise<RunReply> {
    return this.#withRun(caller, session, async ({ view, events }) =>
      this.#details(view, includeEvents ? events.slice(-MOST_EVENTS) : undefined),
    )
  }

  async list(caller: Caller, page: ListQuery): Promise<RunReply> {
    const listed = await pageOfRuns(this.#parts, caller, page)
    if (!listed.ok) return failedReply(listed.error)
    const { views, next } = listed.value
    return replied({ sessions: views.map(listedRun), next_before: next ?? null })
  }

  async resume(
    caller: Caller,
    session: SessionId | undefined,
    { input, ask_id }: ResumeRequest,
  ): Promise<RunReply> {
    return this.#withRun(caller, session, async ({ view }) => {
      const status = statusOf(view)
      const asks = status === 'awaiting_input' ? (view.session?.asks ?? []) : []
      const ask = asks.find(({ id }) => id === (ask_id ?? asks[0]?.id))
      if (!ask) return invalidState(view)
      return this.#limited(caller, async () => {
        const { session: id } = refOf(view.row)
        const answered = await this.#parts.agent
          .as(caller)
          .answer(id, [{ id: askId(ask.id), answer: input }])
        return answered.ok
          ? this.#resumed(view.row, ask.id)
          : this.#refused(caller, id, answered.error)
      })
    })
  }

  /** The answer is kept, and the session goes on; a job looks after its end. */
  async #resumed(row: RunRow, ask: string): Promise<RunReply> {
    const driven = await this.#parts.jobs.drive(row, `resume:${ask}`)
    if (!driven.ok) this.#parts.log.warn('agent_runs.not_published', { code: driven.error.code })
    return replied({
      session_id: row.session,
      status: 'queued',
      message: 'Resume job enqueued',
      job_id: `agent-session-${row.session}-resume`,
    })
  }

  async #refused(caller: Caller, session: SessionId, error: Failure): Promise<RunReply> {
    if (error.code === 'ANSWER_INVALID')
      return unsuccessful(400, 'invalid_input', 'invalid_input', error.message, {
        validation_error: error.message,
        session_id: session,
      })
    if (!isClosedAsk(error.code)) return failedReply(error)
    const now = await this.#parts.reader.read(caller, session)
    if (!now.ok) return failedReply(now.error)
    return now.value ? invalidState(now.value.view) : NOT_FOUND
  }

  async cancel(
    caller: Caller,
    session: SessionId | undefined,
    reason: string | undefined,
  ): Promise<RunReply> {
    return this.#withRun(caller, session, async ({ view }) => {
      if (isRunEnded(statusOf(view))) return cannotCancel(view)
      const ended = await this.#parts.end.end(view, 'canceled', reason)
      if (!ended.ok) return failedReply(ended.error)
      if (!ended.value) {
        const now = await this.#parts.reader.read(caller, refOf(view.row).session)
        if (!now.ok) return failedReply(now.error)
        return now.value ? cannotCancel(now.value.view) : NOT_FOUND
      }
      const by = principalId(caller.principal)
      this.#parts.log.info('agent_runs.canceled', { session: view.row.session, by, reason })
      return replied({ session_id: view.row.session, status: 'canceled' })
    })
  }

  /** What happened in a run, from the beginning, in pages. */
  async events(
    caller: Caller,
    session: SessionId | undefined,
    { after, limit }: EventsQuery,
  ): Promise<RunReply> {
    const [seq = 0, n = -1] = after?.split('.').map(Number) ?? []
    return this.#withRun(caller, session, async ({ view, events }) => {
      const behind = events.filter((event) => event.seq > seq || (event.seq === seq && event.n > n))
      const page = behind.slice(0, limit)
      const last = page.at(-1)
      return replied({
        session_id: view.row.session,
        status: statusOf(view),
        events: page.map((event) => ({ ...event })),
        has_more: behind.length > page.length,
        next_after: last ? `${last.seq}.${last.n}` : (after ?? null),
      })
    })
  }

  /** The artifacts that a run wrote. */
  async artifactsOf(caller: Caller, session: SessionId | undefined): Promise<RunReply> {
    return this.#withRun(caller, session, async ({ view }) =>
      this.#parts.artifactService.ofRun(view.row, caller),
    )
  }

  /** A run as a state frame of its stream shows it. */
  async state(view: RunView): Promise<JsonObject> {
    return this.#snapshot(view)
  }

  async #withRun(
    caller: Caller,
    session: SessionId | undefined,
    work: (look: Look) => Promise<RunReply>,
  ): Promise<RunReply> {
    if (session === undefined) return NOT_FOUND
    const look = await this.#parts.reader.read(caller, session)
    if (!look.ok) return failedReply(look.error)
    if (!look.value) return NOT_FOUND
    const settled = await this.#parts.end.settled(look.value.view)
    return settled.ok ? work({ ...look.value, view: settled.value }) : failedReply(settled.error)
  }

  async #details(view: RunView, events?: readonly RunEvent[]): Promise<RunReply> {
    const body = await this.#snapshot(view)
    return replied({ ...body, ...(events && { events: events.map((event) => ({ ...event })) }) })
  }

  async #snapshot(view: RunView): Promise<JsonObject> {
    const { artifacts, log } = this.#parts
    const { tenant, session } = refOf(view.row)
    const last = await artifacts.lastOf(tenant, session)
    if (!last.ok) log.warn('agent_runs.artifact_unread', { code: last.error.code })
    return detailsOf(view, last.ok ? last.value : undefined)
  }

  async #limited(caller: Caller, work: () => Promise<RunReply>): Promise<RunReply> {
    const counted = await this.#parts.limiter?.queued(caller)
    return counted?.ok === false ? failedReply(counted.error) : work()
  }
}

const limitsOf = (profile: AgentProfile): JsonObject => ({
  ...(profile.maxTurns !== undefined && { maxTurns: profile.maxTurns }),
  ...(profile.maxTokens !== undefined && { maxTokens: profile.maxTokens }),
  ...(profile.maxSeconds !== undefined && { maxSeconds: profile.maxSeconds }),
  ...(profile.model !== undefined && { model: profile.model }),
  ...(profile.resultSchema && { needsResult: true }),
})

const queued = (row: RunRow): RunReply =>
  replied(
    {
      session_id: row.session,
      status: 'queued',
      profile_id: row.profile,
      created_at: row.created_at.toISOString(),
      async: true,
    },
    202,
  )

const invalidState = (view: RunView): RunReply =>
  unsuccessful(409, 'invalid_state', 'invalid_state', 'the session does not wait for this answer', {
    session_id: view.row.session,
    current_status: statusOf(view),
  })

const cannotCancel = (view: RunView): RunReply =>
  unsuccessful(409, 'cannot_cancel', 'cannot_cancel', 'the session has ended', {
    session_id: view.row.session,
    current_status: statusOf(view),
  })
