import {
  Compactor,
  modelErrorOf,
  type Clock,
  type Failure,
  type ModelCall,
  type ModelError,
  type ModelErrorClass,
  type RetryVerdict,
  type RouteVerdict,
  type RunContext,
} from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'
import { type Candidate, nameOf } from './candidates.ts'
import type { Cooldowns } from './cooldowns.ts'
import { type Request, Requests } from './requests.ts'

export interface FailoverOptions {
  /** Further calls of one way for the same request, where the agent names no number. */
  readonly retries: number
  /** ms that one request waits for cooldowns in all. */
  readonly waitMs: number
  /**
   * ms before a second call of one model for the same request; doubled with each further one, up to
   * `maxMs`.
   */
  readonly baseMs: number
  readonly maxMs: number
  readonly jitter: number
  readonly random: () => number
}

/** Failures that a retry may cure. */
const PASSING: ReadonlySet<ModelErrorClass> = new Set(['rate_limit', 'timeout', 'server'])
/** Of an error, in the log and to whoever asks. */
const MOST_CHARS = 500

const RETRY: RetryVerdict = { action: 'retry', afterMs: 0 }

/** Chooses the candidate for each request, and the next step after a failure. */
export class Failover {
  readonly #options: FailoverOptions
  readonly #clock: Clock
  readonly #cooldowns: Cooldowns
  readonly #requests = new Requests()

  constructor(options: FailoverOptions, clock: Clock, cooldowns: Cooldowns) {
    this.#options = options
    this.#clock = clock
    this.#cooldowns = cooldowns
  }

  /**
   * The first candidate that is neither excluded nor cooling down, least tried first; otherwise how
   * long to wait for one.
   */
  route(call: ModelCall, ctx: RunContext): RouteVerdict {
    const request = this.#requests.begin(call, ctx)
    const left = this.#left(request, ctx)
    const free = left.find((one) => this.#waitFor(one, request) === 0)
    if (free) {
      if (request.tried.size > 0)
        ctx.log.info('model_next', { step: call.step, attempt: call.attempt, ...shown(free) })
      this.#cooldowns.trying(free)
      request.now = { candidate: free, began: this.#clock.monotonic() }
      return { action: 'use', config: free.config, profile: free.profile }
    }
    const wait = Math.max(1, Math.ceil(Math.min(...left.map((one) => this.#waitFor(one, request)))))
    if (request.waited + wait <= this.#options.waitMs) {
      request.waited += wait
      return { action: 'wait', afterMs: wait }
    }
    this.#requests.over(call, ctx)
    ctx.log.error('model_none_left', { step: call.step, models: request.candidates.map(nameOf) })
    return { action: 'stop', reason: `no model can be called now: ${this.#reasons(request)}` }
  }

  /** @returns nothing where the failure says all there is to say */
  failed(failed: Failure, call: ModelCall, ctx: RunContext): RetryVerdict | undefined {
    const request = this.#requests.find(call, ctx)
    if (!request?.now) return undefined // somebody else chose this model
    const error = modelErrorOf(failed)
    const { candidate, began } = request.now
    const message = textStart(failed.message, MOST_CHARS)
    const baseMs = ctx.bundle.manifest.failover?.backoffMs ?? this.#options.baseMs
    if (cools(error))
      this.#cooldowns.failed(candidate, { error, message, began, session: sessionOf(ctx), baseMs })
    request.now = undefined
    const calls = (request.tried.get(candidate.key)?.calls ?? 0) + 1
    request.tried.set(candidate.key, {
      candidate,
      calls,
      class: error.class,
      message,
      notBefore: this.#clock.monotonic() + this.#pause(error, calls, baseMs),
    })
    ctx.log.warn('model_failed', {
      ...shown(candidate),
      class: error.class,
      ...(error.status !== undefined && { status: error.status }),
      step: call.step,
      attempt: call.attempt,
      cooling_ms: Math.ceil(this.#cooldowns.left(candidate)),
      message,
    })
    // A conversation that can be made shorter goes to the same model again; otherwise another one
    // may take more.
    const shortened = error.class === 'overflow' && ctx.scope.find(Compactor) !== undefined
    if (!shortened && this.#left(request, ctx).length > 0) return RETRY
    this.#requests.over(call, ctx)
    if (shortened || request.candidates.length < 2) return undefined
    ctx.log.error('model_none_left', { step: call.step, models: request.candidates.map(nameOf) })
    return { action: 'stop', reason: `every model failed: ${this.#reasons(request)}` }
  }

  done(call: ModelCall, ctx: RunContext): void {
    const now = this.#requests.find(call, ctx)?.now
    if (now) this.#cooldowns.worked(now.candidate.key, now.began)
    this.#requests.over(call, ctx)
  }

  /** ms until this request may try a candidate. */
  #waitFor(one: Candidate, { tried }: Request): number {
    return Math.max(
      this.#cooldowns.left(one),
      (tried.get(one.key)?.notBefore ?? 0) - this.#clock.monotonic(),
    )
  }

  /**
   * ms before the same model is asked the same again: what the provider asks for, whole, and at
   * least its own pause.
   */
  #pause({ retryAfterMs = 0 }: ModelError, calls: number, baseMs: number): number {
    const { maxMs, jitter, random } = this.#options
    return Math.max(
      retryAfterMs,
      Math.min(maxMs, baseMs * 2 ** (calls - 1)) * (1 - jitter * random()),
    )
  }

  #left({ candidates, tried }: Request, ctx: RunContext): readonly Candidate[] {
    const retries = ctx.bundle.manifest.failover?.retries ?? this.#options.retries
    const calls = ({ key }: Candidate): number => tried.get(key)?.calls ?? 0
    return candidates
      .filter(
        (one) =>
          calls(one) === 0 ||
          (calls(one) <= retries && PASSING.has(tried.get(one.key)?.class ?? 'unknown')),
      )
      .sort((a, b) => calls(a) - calls(b))
  }

  #reasons({ candidates, tried }: Request): string {
    const cooling = this.#cooldowns.list()
    return candidates
      .map((one) => {
        const {
          config: { provider, model },
          profile,
        } = one
        const known =
          tried.get(one.key) ??
          cooling.find(
            (other) =>
              other.provider === provider && other.model === model && other.profile === profile,
          )
        const wait = Math.ceil(this.#cooldowns.left(one) / 1_000)
        return `${nameOf(one)}: ${known ? `${known.class}, ${known.message}` : 'not tried'}${wait > 0 ? `; to be tried again in ${wait} s` : ''}`
      })
      .join(' | ')
  }
}

/** Sub-agents of one person's sessions count as one session. */
const sessionOf = ({ tenant, principal, session, delegated }: RunContext): string =>
  delegated === true ? `${tenant} ${principal}` : session

const shown = ({ config: { provider, model }, profile }: Candidate) => ({
  provider,
  model,
  profile,
})

/** Whether the failure is due to the model, and not to the request. */
function cools(error: ModelError): boolean {
  switch (error.class) {
    case 'overflow':
    case 'content':
      return false
    case 'unknown':
      return error.status === undefined || error.status === 404
    case 'auth':
    case 'rate_limit':
    case 'billing':
    case 'timeout':
    case 'server':
    case 'quota':
      return true
  }
}
