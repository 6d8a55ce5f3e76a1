import {
  err,
  failure,
  LOCAL_IDENTITY,
  ok,
  type Agent,
  type Caller,
  type Failure,
  type Identity,
  type PrincipalId,
  type RequestLimiter,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import type { Rate } from './rate.ts'

/** A counter for each kind of limit. */
export type Rates = Readonly<Record<'requests' | 'messages' | 'refusals', Rate>>

export interface LimiterOptions {
  readonly rates: () => Promise<Rates>
  /** Runs of one principal at the same time; `null`: any number. */
  readonly concurrentRuns: number | null
  readonly agent: () => Agent | undefined
}

/** An admitted message whose run has not started. */
interface Permit {
  readonly release: () => void
}

/**
 * Limits requests, messages and runs of each principal. Local callers without a credential are not
 * counted.
 */
export class Limiter implements RequestLimiter {
  readonly #options: LimiterOptions
  readonly #permits = new Map<string, Set<Permit>>()

  constructor(options: LimiterOptions) {
    this.#options = options
  }

  async request({ principal }: Identity): Promise<Result<void, Failure>> {
    return isLocal(principal) ? ok(undefined) : this.#count('requests', principal)
  }

  async message(caller: Caller): ReturnType<RequestLimiter['message']> {
    if (isLocal(caller.principal)) return ok({ release: () => undefined })
    const permit = this.#permit(caller)
    if (!permit)
      return err(
        limited(`there are ${this.#options.concurrentRuns ?? 0} runs of yours in progress`, 1_000),
      )
    const counted = await this.#count('messages', keyOf(caller))
    if (counted.ok) return ok(permit)
    permit.release()
    return counted
  }

  async queued(caller: Caller): Promise<Result<void, Failure>> {
    return isLocal(caller.principal) ? ok(undefined) : this.#count('messages', keyOf(caller))
  }

  refused(from: string): Promise<Result<void, Failure>> {
    return this.#count('refusals', networkOf(from))
  }

  /** Releases the permit of a message whose run has started: the run itself counts from now on. */
  runStarted(caller: Pick<Caller, 'tenant' | 'principal'>): void {
    const [first] = this.#permits.get(keyOf(caller)) ?? []
    first?.release()
  }

  #permit(caller: Caller): Permit | undefined {
    const { concurrentRuns, agent } = this.#options
    const key = keyOf(caller)
    const waiting = this.#permits.get(key) ?? new Set()
    const running =
      agent()
        ?.runs()
        .filter((run) => run.tenant === caller.tenant && run.principal === caller.principal)
        .length ?? 0
    if (concurrentRuns !== null && running + waiting.size >= concurrentRuns) return undefined
    const permit: Permit = {
      release: () => {
        waiting.delete(permit)
        if (waiting.size === 0 && this.#permits.get(key) === waiting) this.#permits.delete(key)
      },
    }
    waiting.add(permit)
    this.#permits.set(key, waiting)
    return permit
  }

  async #count(what: keyof Rates, key: string): Promise<Result<void, Failure>> {
    const rates = await this.#options.rates()
    const wait = await rates[what].consume(key)
    return wait === undefined ? ok(undefined) : err(limited(`too many ${NAMES[what]}`, wait))
  }
}

const NAMES = {
  requests: 'requests',
  messages: 'messages',
  refusals: 'requests without a good credential',
} as const

function limited(why: string, ms: number): Failure {
  const seconds = Math.max(1, Math.ceil(ms / 1_000))
  return failure('RATE_LIMITED', `${why}: try again in ${seconds} s`, {
    details: { retry_after_seconds: seconds },
  })
}

const isLocal = (principal: PrincipalId): boolean => principal === LOCAL_IDENTITY.principal

const keyOf = ({
  tenant,
  principal,
}: {
  readonly tenant: TenantId
  readonly principal: PrincipalId
}): string => `${tenant}\n${principal}`

/** The /64 network of an IPv6 address: a client has all 2^64 addresses of its network. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const filled =
    tail === undefined
      ? groups
      : [
          ...groups,
          ...Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0'),
          ...after,
        ]
  return filled
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')
}
