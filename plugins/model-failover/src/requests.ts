import type { ModelCall, ModelErrorClass, RunContext } from '@amodal/sdk'
import { type Candidate, candidatesOf } from './candidates.ts'

/** The attempts of one candidate in one request. */
export interface Attempted {
  readonly candidate: Candidate
  readonly calls: number
  readonly class: ModelErrorClass
  readonly message: string
  /** Monotonic ms, for this request alone. */
  readonly notBefore: number
}

/** One request to a model, over all its attempts. */
export interface Request {
  readonly candidates: readonly Candidate[]
  readonly tried: Map<string, Attempted>
  /** The way that is being tried, and since when (monotonic ms). */
  now: { readonly candidate: Candidate; readonly began: number } | undefined
  /** ms it has waited for cooldowns. */
  waited: number
}

/**
 * The requests of active runs. State ends with its request, so that each request chooses anew.
 */
export class Requests {
  readonly #of = new WeakMap<RunContext, Map<string, Request>>()

  /** The request that a call belongs to, from its first attempt on. */
  begin(call: ModelCall, ctx: RunContext): Request {
    const known = this.find(call, ctx)
    if (known) return known
    const request: Request = {
      candidates: candidatesOf(call.config),
      tried: new Map(),
      now: undefined,
      waited: 0,
    }
    const own = this.#of.get(ctx) ?? new Map<string, Request>()
    this.#of.set(ctx, own.set(keyOf(call), request))
    return request
  }

  find(call: ModelCall, ctx: RunContext): Request | undefined {
    return this.#of.get(ctx)?.get(keyOf(call))
  }

  over(call: ModelCall, ctx: RunContext): void {
    this.#of.get(ctx)?.delete(keyOf(call))
  }
}

/** A side call of a run to a model is a request of its own. */
const keyOf = ({ aside, tier, step }: ModelCall): string =>
  `${aside ? 'aside' : 'turn'} ${tier} ${step}`
