import {
  err,
  failure,
  ok,
  sha256,
  type Clock,
  type Failure,
  type Logger,
  type Result,
  type RouteContext,
  type Secrets,
  type TenantId,
} from '@amodal/sdk'
import { failed } from '@amodal/plugin-http/tokens'
import type { Automation } from '../definition.ts'
import { AutomationFailed, AutomationPaused } from '../errors.ts'
import { holdUntil, isInOrder, isSettled, type Run } from '../run.ts'
import { eventOf } from '../run-message.ts'
import type { AutomationService } from '../service.ts'
import type { AutomationStore } from '../store.ts'
import { RateLimit } from './rate-limit.ts'
import { deliveryIdOf, isSigned, type SignedRequest } from './signature.ts'

export interface ReceiverParts {
  readonly service: AutomationService
  readonly automations: () => readonly Automation[]
  readonly store: AutomationStore
  readonly secrets: Secrets
  readonly clock: Clock
  readonly log: Logger
  readonly tenants: readonly TenantId[]
  /** Events of one automation in a minute. */
  readonly perMinute: number
  /** Of those, events that come from one address. */
  readonly perAddress: number
  /** Requests that are read at the same time: with the limit of a body, a bound of memory. */
  readonly concurrency: number
}

/** Says neither which part of a signature is wrong, nor whether it was one. */
const UNSIGNED = failure('UNAUTHENTICATED', 'the request is not signed as it has to be')

/** The name by which an automation is also reached, whatever it is called. */
export const webhookIdOf = (name: string): string => `auto_${sha256(name).slice(0, 6)}`

/** `POST /webhooks/NAME`: keeps an event, then answers 202. */
export class WebhookReceiver {
  readonly #parts: ReceiverParts
  readonly #all: RateLimit
  readonly #ofAddress: RateLimit
  #reading = 0

  constructor(parts: ReceiverParts) {
    this.#parts = parts
    this.#all = new RateLimit(parts.perMinute)
    this.#ofAddress = new RateLimit(parts.perAddress)
  }

  async receive(name: string, request: Request, context: RouteContext): Promise<Response> {
    const found = this.#find(name, new URL(request.url).searchParams.get('scope_id'))
    if (!found.ok) return failed(found.error)
    if (this.#reading >= this.#parts.concurrency) return tooMany(1)
    this.#reading++
    try {
      return await this.#receive(found.value, request, context)
    } finally {
      this.#reading--
    }
  }

  #find(name: string, scope: string | null): Result<Found, Failure> {
    const { automations, tenants } = this.#parts
    const automation = automations().find(
      (one) => one.trigger === 'webhook' && (one.name === name || webhookIdOf(one.name) === name),
    )
    const tenant = scope === null ? tenants[0] : tenants.find((one) => one === scope)
    return automation && tenant !== undefined
      ? ok({ automation, tenant })
      : err(failure('NOT_FOUND', 'there is no webhook at this path'))
  }

  async #receive(
    { automation, tenant }: Found,
    request: Request,
    context: RouteContext,
  ): Promise<Response> {
    // Before anything is read: a sender that goes on in spite of a refusal costs next to nothing.
    const early = this.#wait(automation.name, context.from ?? '')
    if (early !== undefined) return tooMany(early)
    const body = await bytesOf(request)
    if (!body.ok) return failed(body.error)
    const signed: SignedRequest = { headers: request.headers, body: body.value }
    if (!this.#isFrom(automation, signed, context)) return failed(UNSIGNED)
    const waitS = this.#count(automation.name, context.from ?? '')
    if (waitS !== undefined) return tooMany(waitS)
    const now = this.#parts.clock.now()
    const until = holdUntil(automation, now)
    const added = await this.#parts.store.add(
      {
        tenant,
        automation: automation.name,
        occurrence: `event:${deliveryIdOf(automation.webhookAuth, signed)}`,
        source: 'webhook',
        due: now,
        event: eventOf(body.value, request.headers.get('traceparent')),
        ...(until !== undefined && { holdUntil: until }),
        inOrder: isInOrder(automation),
      },
      now,
    )
    if (!added.ok) {
      this.#parts.log.error('automations.event_not_kept', { code: added.error.code })
      return failed(added.error)
    }
    if (added.value.kind === 'paused') return failed(AutomationPaused('this automation is paused'))
    const { run } = added.value
    if (run.status === 'held') return Response.json(heldAs(run), { status: 202 })
    const isWaited = new URL(request.url).searchParams.get('wait') === '1'
    if (isWaited) return this.#waited(run, context.signal)
    const answer = { status: 'accepted', automation: automation.name, run_id: run.id }
    return Response.json(answer, { status: 202 })
  }

  /** Where no signature is asked for, a credential is. */
  #isFrom(
    { webhookAuth, name }: Automation,
    request: SignedRequest,
    context: RouteContext,
  ): boolean {
    if (!webhookAuth) {
      const scopes = context.identity?.scopes ?? []
      return scopes.includes('*') || scopes.includes('automations')
    }
    const { secrets, clock } = this.#parts
    const known = webhookAuth.secrets.flatMap((reference) => {
      const value = secrets.resolve(reference, `automations/${name}`)
      return value.ok ? [value.value] : []
    })
    return isSigned(webhookAuth, request, known, clock.now())
  }

  async #waited(run: Run, signal: AbortSignal): Promise<Response> {
    const ended = await this.#parts.service.wait(run, isSettled, signal)
    if (!ended.ok) return failed(ended.error)
    const { status, automation, error = 'the run failed', result = '', id } = ended.value
    if (status === 'failed') return failed(AutomationFailed(error))
    const answer = { status, automation, run_id: id }
    if (status === 'skipped') return Response.json({ ...answer, error })
    return Response.json(status === 'waiting' ? answer : { ...answer, result }, {
      status: status === 'waiting' ? 202 : 200,
    })
  }

  /** Seconds to wait, where there were too many events in this minute. */
  #wait(automation: string, address: string): number | undefined {
    const now = this.#parts.clock.now()
    return this.#ofAddress.wait(`${automation} ${address}`, now) ?? this.#all.wait(automation, now)
  }

  /**
   * Counts one that is signed, unless there were too many. What one address sends above its share
   * does not count for the others.
   */
  #count(automation: string, address: string): number | undefined {
    const wait = this.#wait(automation, address)
    if (wait !== undefined) return wait
    const now = this.#parts.clock.now()
    this.#ofAddress.count(`${automation} ${address}`, now)
    this.#all.count(automation, now)
    return undefined
  }
}

interface Found {
  readonly automation: Automation
  readonly tenant: TenantId
}

/** It is kept, and waited for by nobody: a pause may take days. */
const heldAs = ({ automation, id, heldUntil = 0 }: Run) => ({
  status: 'held',
  automation,
  run_id: id,
  held_until: new Date(heldUntil).toISOString(),
})

const tooMany = (seconds: number): Response =>
  failed(failure('RATE_LIMITED', 'too many events at once: send it again later'), {
    'retry-after': String(seconds),
  })

/** The bytes as they arrived; a stream that is too long fails where it is. */
async function bytesOf(request: Request): Promise<Result<Uint8Array, Failure>> {
  try {
    return ok(new Uint8Array(await request.arrayBuffer()))
  } catch (cause) {
    const known =
      cause instanceof Error && 'failure' in cause ? (cause.failure as Failure) : undefined
    return err(
      known ?? failure('VALIDATION_ERROR', 'body: ended before it was complete', { cause }),
    )
  }
}
