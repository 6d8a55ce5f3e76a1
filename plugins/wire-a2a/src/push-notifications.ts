import {
  principalId,
  sessionId,
  timeLimit,
  type Agent,
  type Failure,
  type Job,
  type JobOutcome,
  type JobQueue,
  type JsonObject,
  type Outbound,
  type OutboundResponse,
  type Result,
  type RunContext,
  type Secrets,
} from '@amodal/sdk'
import { mayPassLater, webhookHeaders } from '@amodal/sdk/wire'
import type { PushConfig } from './message-request.ts'
import type { PushConfigs } from './push-configs.ts'
import { taskId, type TaskPlace } from './task-id.ts'
import { keyIn, taskIn, taskObject } from './task.ts'

export const PUSH_QUEUE = 'wire-a2a.push'
/** Deliveries at the same time. */
export const DELIVERIES = 10

/** ms for publishing jobs, and for one delivery. */
const PUBLISH_MS = 10_000
const DELIVERY_MS = 15_000
/** Bytes of an answer that are read. */
const ANSWER_BYTES = 10_000
/** After 5 s, then longer and longer, over more than a day. */
const RETRIES = { limit: 14, delayMs: 5_000, maxDelayMs: 36_000_000 } as const

interface PushParts {
  readonly agent: Agent
  readonly clock: { now(): number }
  readonly configs: PushConfigs
  readonly queue: JobQueue
  readonly outbound: Outbound
  readonly secrets: Secrets | undefined
  /** Signs what is sent. */
  readonly secret: string | undefined
  readonly privateOrigins: readonly string[]
}

type Event = 'input' | 'end'

/** Tells whoever wants to know of a task, at least once, through the job queue. */
export class PushNotifications {
  readonly #parts: PushParts

  constructor(parts: PushParts) {
    this.#parts = parts
  }

  /** Publishes a job for each receiver of the run's task. A run of another wire has none. */
  async publish(run: RunContext, event: Event): Promise<void> {
    const key = keyIn(run.messageState)
    if (key === undefined) return
    const { tenant, principal, session, log, step } = run
    const { agent, configs, queue } = this.#parts
    const place: TaskPlace = { session, key }
    const found = await configs.of(agent.as({ tenant, principal }), { tenant }, place)
    if (!found.ok) return log.warn('a2a.push_unread', { error: found.error.message })
    if (found.value.length === 0) return
    const published = await queue.publish(
      found.value.map(({ id }) => ({
        queue: PUSH_QUEUE,
        key: [taskId(place), id, event, step].join(':'),
        group: taskId(place),
        data: { session, key, config: id, event },
        tenant,
        principal,
        retries: RETRIES,
      })),
      timeLimit(PUBLISH_MS, 'publishing push notifications'),
    )
    if (!published.ok) log.warn('a2a.push_unpublished', { error: published.error.message })
  }

  async work(job: Job, signal: AbortSignal): Promise<JobOutcome> {
    const { data, tenant, principal = principalId('') } = job
    const { session, key, config: id, event } = data
    if (typeof session !== 'string' || typeof key !== 'string' || tenant === undefined)
      return { kind: 'dead', reason: 'the job names no task' }
    const { agent, configs } = this.#parts
    const place = { session: sessionId(session), key }
    const client = agent.as({ tenant, principal })
    const found = await configs.of(client, { tenant }, place)
    if (!found.ok) return lost(found.error)
    const config = found.value.find((one) => one.id === id)
    if (!config) return { kind: 'done' } // nobody wants to know any more
    const view = await client.session(place.session, signal)
    if (!view.ok) return lost(view.error)
    const task = taskIn(view.value, place)
    if (!task || (task.state === 'TASK_STATE_WORKING' && event === 'end'))
      return { kind: 'retry', reason: 'the journal is behind', burnsAttempt: true, afterMs: 1_000 }
    return this.#deliver(config, job.id, { task: taskObject(task) }, signal)
  }

  async #deliver(
    { url, token, authentication }: PushConfig,
    id: string,
    event: JsonObject,
    signal: AbortSignal,
  ): Promise<JobOutcome> {
    const { clock, outbound, privateOrigins } = this.#parts
    const secret = this.#secret()
    if (!secret.ok) return again(secret.error)
    const body = JSON.stringify(event)
    const { origin } = new URL(url)
    const response = await outbound.request({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/a2a+json',
        ...webhookHeaders(id, body, secret.value, clock.now()),
        ...(token !== '' && { 'x-a2a-notification-token': token }),
        ...(authentication && {
          authorization: `${authentication.scheme} ${authentication.credentials}`,
        }),
      },
      body,
      key: id,
      lease: undefined, // it belongs to no run: the run is over, or waits
      timeoutMs: DELIVERY_MS,
      maxBytes: ANSWER_BYTES,
      signal,
      ...(privateOrigins.includes(origin) && { privateOrigin: origin }),
    })
    return outcomeOf(response)
  }

  /** Without a secret nothing is signed: the receiver has its token. */
  #secret(): Result<string | undefined, Failure> {
    const { secret, secrets } = this.#parts
    return secret === undefined || secrets === undefined
      ? { ok: true, value: undefined }
      : secrets.resolve(secret, '`push.secret` of wire-a2a')
  }
}

const again = ({ code, message }: Failure): JobOutcome => ({
  kind: 'retry',
  reason: `${code}: ${message}`,
  burnsAttempt: true,
})

const lost = (error: Failure): JobOutcome =>
  error.code === 'SESSION_NOT_FOUND' ? { kind: 'done' } : again(error)

function outcomeOf(response: Result<OutboundResponse, Failure>): JobOutcome {
  if (!response.ok)
    return response.error.code === 'OUTBOUND_REFUSED'
      ? { kind: 'dead', reason: response.error.message }
      : again(response.error)
  const { status } = response.value
  if (status >= 200 && status < 300) return { kind: 'done' }
  const reason = `the receiver answered ${status}`
  return mayPassLater(status)
    ? { kind: 'retry', reason, burnsAttempt: true }
    : { kind: 'dead', reason }
}
