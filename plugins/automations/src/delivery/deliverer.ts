import {
  atMost,
  messageOf,
  type Clock,
  type Job,
  type JobOutcome,
  type Json,
  type Outbound,
  type Secrets,
} from '@amodal/sdk'
import { textStart, parseExact } from '@amodal/sdk/data'
import { bodyForHost, postWebhook, type WebhookVerdict } from '@amodal/sdk/wire'
import type { Target } from '../definition.ts'
import type { DeliveryPayload } from '../payload.ts'
import type { Attempt, DeliveryRow } from '../run.ts'
import type { AutomationStore } from '../store.ts'
import { nextOf, signatureHeaders, type Next } from './attempt.ts'

/** Takes results for a target of `"type": "callback"`, under its name. */
export type ResultHandler = (result: DeliveryPayload, name: string | undefined) => unknown

/** What happens to deliveries, for whoever shows it. */
export type DeliveryNews = {
  readonly delivery: DeliveryRow
  readonly attempt: Attempt
  readonly attempts: number
  readonly status: 'delivered' | 'dead'
  /** Origin of the address: the rest of it may be a secret. */
  readonly url?: string
}

export interface DelivererParts {
  readonly store: AutomationStore
  readonly outbound: Outbound
  readonly secrets: Secrets
  readonly clock: Clock
  /** Signs what goes to targets that name no secret of their own: `env:NAME`. */
  readonly secret: string | undefined
  readonly handler: () => ResultHandler | undefined
  readonly tell: (news: DeliveryNews) => void
  readonly random?: () => number
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

const TIMEOUT_MS = 10_000
/** Bytes of an answer that are kept. */
const BODY_BYTES = 4_096

interface Tried {
  readonly verdict: WebhookVerdict
  readonly httpStatus?: number
  readonly body?: string
  readonly url?: string
}

/** Sends results. Each attempt is one row of history. */
export class Deliverer {
  readonly #parts: DelivererParts

  constructor(parts: DelivererParts) {
    this.#parts = parts
  }

  async work(job: Job, signal: AbortSignal): Promise<JobOutcome> {
    const { store } = this.#parts
    if (job.tenant === undefined) return { kind: 'dead', reason: 'the job names no tenant' }
    const id = textOf(job.data['delivery'])
    const found = await store.delivery({ tenant: job.tenant, id })
    if (!found.ok) return { kind: 'retry', reason: found.error.message, burnsAttempt: false }
    const row = found.value
    if (!row) return { kind: 'dead', reason: `there is no delivery "${id}"` }
    if (row.status !== 'pending') return { kind: 'done' }
    const next = await this.#attempt(row, signal)
    if (next === 'stopping')
      return { kind: 'retry', reason: 'the worker stops', afterMs: 0, burnsAttempt: false }
    if (next === 'unwritten')
      return { kind: 'retry', reason: 'the attempt was not written down', burnsAttempt: false }
    if (next.status !== 'pending') return { kind: 'done' }
    const { afterMs = 0 } = next
    return { kind: 'retry', reason: 'the target did not take it', afterMs, burnsAttempt: false }
  }

  async #attempt(row: DeliveryRow, signal: AbortSignal): Promise<Next | 'stopping' | 'unwritten'> {
    const { store, clock, random = Math.random } = this.#parts
    const begun = clock.monotonic()
    const gone = await store.isGone(row)
    if (!gone.ok) return 'unwritten'
    const tried = gone.value ? GONE : await this.#send(row, signal)
    // What was sent and not answered is sent again, under the same id.
    if (signal.aborted && tried.verdict.kind !== 'delivered') return 'stopping'
    const { verdict, httpStatus, body } = tried
    const attempt: Attempt = {
      at: clock.now(),
      ms: Math.round(clock.monotonic() - begun),
      ...(httpStatus !== undefined && { httpStatus }),
      ...(body !== undefined && { body }),
      ...(verdict.kind !== 'delivered' && { error: verdict.error }),
    }
    const next = nextOf(verdict, row.attempts + 1, random())
    const written = await store.attempted(row, attempt, {
      status: next.status,
      at: attempt.at,
      gone: next.gone === true,
    })
    if (!written.ok) return 'unwritten'
    if (next.status !== 'pending')
      this.#parts.tell({
        delivery: row,
        attempt,
        attempts: row.attempts + 1,
        status: next.status,
        ...(tried.url !== undefined && { url: tried.url }),
      })
    return next
  }

  #send(row: DeliveryRow, signal: AbortSignal): Promise<Tried> {
    const { target } = row
    switch (target.type) {
      case 'callback':
        return this.#call(row, target)
      case 'webhook':
        return this.#post(row, target, signal)
    }
  }

  async #call(row: DeliveryRow, { name }: Target & { type: 'callback' }): Promise<Tried> {
    const handler = this.#parts.handler()
    if (!handler)
      return failed('no program takes results here: give createAgent an `onAutomationResult`')
    const payload = parseExact(row.payload) as DeliveryPayload // written by the run
    const called = (async () => handler(payload, name))().then(
      () => DELIVERED,
      (cause: unknown) => failed(`\`onAutomationResult\` failed: ${messageOf(cause)}`),
    )
    return (await atMost(TIMEOUT_MS, called)) ?? failed(`it took longer than ${TIMEOUT_MS} ms`)
  }

  async #post(
    row: DeliveryRow,
    { url: reference, secret: named }: Target & { type: 'webhook' },
    signal: AbortSignal,
  ): Promise<Tried> {
    const { outbound, secrets, clock } = this.#parts
    const where = `automations/${row.automation}`
    const address = secrets.resolve(reference, where)
    if (!address.ok) return failed(address.error.message)
    const secret = named ?? this.#parts.secret
    const key = secret === undefined ? undefined : secrets.resolve(secret, where)
    if (key?.ok === false) return failed(key.error.message)
    const content = parseExact(row.payload) as DeliveryPayload // written by the run
    const body = bodyForHost(address.value, content, content.message ?? content.result)
    const now = clock.now()
    const { verdict, status, text, origin } = await postWebhook({
      outbound,
      url: address.value,
      id: row.id,
      body,
      headers: signatureHeaders(row.id, body, key?.value, now),
      now,
      timeoutMs: TIMEOUT_MS,
      privateOrigins: 'written',
      signal,
    })
    return {
      verdict:
        verdict.kind === 'delivered' ? verdict : { ...verdict, error: secrets.mask(verdict.error) },
      ...(status !== undefined && { httpStatus: status }),
      ...(text && { body: secrets.mask(textStart(text(), BODY_BYTES)) }),
      ...(origin !== undefined && { url: origin }),
    }
  }
}

const DELIVERED: Tried = { verdict: { kind: 'delivered' } }
const GONE: Tried = {
  verdict: { kind: 'final', isGone: true, error: 'the target said earlier that it is gone (410)' },
}
const failed = (error: string): Tried => ({ verdict: { kind: 'later', error } })
