import {
  isObject,
  ok,
  principalId,
  sessionId,
  type Agent,
  type AgentClient,
  type Clock,
  type Failure,
  type Job,
  type JobOutcome,
  type Outbound,
  type Result,
  type Secrets,
  type SessionView,
} from '@amodal/sdk'
import { isSubagentSession } from '@amodal/sdk/loop'
import { bodyForHost, postWebhook, webhookHeaders, webhookJobOutcome } from '@amodal/sdk/wire'
import { noticeOf } from './notice.ts'
import { targetOf, type Target } from './target.ts'

interface NotifierParts {
  readonly agent: Agent
  readonly clock: Clock
  readonly outbound: Outbound
  readonly secrets: Secrets
}

const TIMEOUT_MS = 10_000
const WHERE = '`notify` of amodal.json'
const DONE: JobOutcome = { kind: 'done' }

/** Sends notices, at least once each, under the id of their question. */
export class Notifier {
  readonly #parts: NotifierParts

  constructor(parts: NotifierParts) {
    this.#parts = parts
  }

  async work({ key, data, tenant }: Job, signal: AbortSignal): Promise<JobOutcome> {
    const { agent, clock } = this.#parts
    const { session, ask: id, notice } = data
    const bundle = agent.bundle()
    const target = bundle && targetOf(bundle)
    if (!target) return DONE
    if (isObject(notice)) {
      const sent = { timestamp: new Date(clock.now()).toISOString(), tenant: tenant ?? null }
      return this.#send(target, key ?? '', { ...notice, ...sent }, signal)
    }
    if (tenant === undefined || typeof session !== 'string' || typeof id !== 'string')
      return { kind: 'dead', reason: 'the job names no question' }
    const client = agent.as({ tenant, principal: principalId('notify') })
    const view = await client.session(sessionId(session), signal)
    if (!view.ok) return view.error.code === 'SESSION_NOT_FOUND' ? DONE : retried(view.error)
    const ask = view.value.asks.find((one) => one.id === id)
    if (!ask) return DONE // somebody was faster
    const root = await rootOf(client, view.value, signal)
    if (!root.ok) return retried(root.error)
    const { publicUrl } = target
    const question = noticeOf(ask, root.value.row, { tenant, publicUrl, now: clock.now() })
    return this.#send(target, id, { ...question }, signal)
  }

  async #send(
    { url, secret }: Target,
    id: string,
    notice: object & { readonly message?: unknown },
    signal: AbortSignal,
  ): Promise<JobOutcome> {
    const { clock, outbound, secrets } = this.#parts
    const address = secrets.resolve(url, WHERE)
    if (!address.ok) return retried(address.error)
    const key = secret === undefined ? undefined : secrets.resolve(secret, WHERE)
    if (key?.ok === false) return retried(key.error)
    const body = bodyForHost(address.value, notice, String(notice.message))
    const now = clock.now()
    const { verdict } = await postWebhook({
      outbound,
      url: address.value,
      id,
      body,
      headers: webhookHeaders(id, body, key?.value, now),
      now,
      timeoutMs: TIMEOUT_MS,
      privateOrigins: 'written',
      signal,
    })
    return webhookJobOutcome(verdict, (text) => secrets.mask(text))
  }
}

/** The conversation that a person sees: that of a sub-agent is inside of another one. */
async function rootOf(
  client: AgentClient,
  view: SessionView,
  signal: AbortSignal,
): Promise<Result<SessionView, Failure>> {
  let found = view
  while (isSubagentSession(found.row)) {
    const parent = await client.session(found.row.parent, signal)
    if (!parent.ok) return parent
    found = parent.value
  }
  return ok(found)
}

const retried = ({ code, message }: Failure): JobOutcome => ({
  kind: 'retry',
  reason: `${code}: ${message}`,
  burnsAttempt: true,
})
