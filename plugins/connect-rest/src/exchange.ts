import {
  err,
  failure,
  sleep,
  type Failure,
  type Lease,
  type Outbound,
  type OutboundResponse,
  type RestSpec,
  type Result,
} from '@amodal/sdk'
import { retryAfterMs } from '@amodal/sdk/wire'

export interface Sending {
  readonly name: string
  readonly url: string
  readonly privateOrigin: string
  readonly proxy?: string | false
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** It changes something, so that one whose answer was lost is in doubt. */
  readonly write: boolean
  /** May be sent again although the target may have acted on it. */
  readonly repeatable: boolean
  readonly key?: string
  readonly lease?: Lease
  readonly signal: AbortSignal
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5_000
/** The longest wait that a target can ask for. */
const LONGEST_ASKED_MS = 20_000
/** Answers after which the same request may well succeed. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/**
 * Statuses of gateways that forwarded a request and got no response: the target behind them may
 * have acted on it.
 */
const PASSED_ON: ReadonlySet<number> = new Set([502, 504, 520, 524])

/**
 * Sends one request; what may be repeated, again after a failure that may pass. The last answer
 * counts, unless an earlier try of a write may have been acted on and the last one does not say
 * what became of that.
 */
export async function exchange(
  outbound: Outbound,
  sending: Sending,
  { timeoutMs, maxBytes, tries }: RestSpec['limits'],
  now: () => number,
): Promise<Result<OutboundResponse, Failure>> {
  const { url, method, headers, body, key, lease, signal } = sending
  const { privateOrigin, proxy, repeatable } = sending
  let lost = false
  for (let attempt = 1; ; attempt++) {
    const answer = await outbound.request({
      url,
      method,
      headers,
      timeoutMs,
      maxBytes,
      privateOrigin,
      signal,
      ...(proxy !== undefined && { proxy }),
      ...(body !== undefined && { body }),
      ...(key !== undefined && { key }),
      lease,
    })
    lost ||= isInDoubt(answer)
    const wait =
      attempt < tries && !signal.aborted ? waitAfter(answer, attempt, repeatable, now) : undefined
    if (wait !== undefined) await sleep(wait, signal)
    if (wait === undefined || signal.aborted) return lost ? inDoubt(answer, sending) : answer
  }
}

/** The status that the target gave, also where the rest of its answer did not come. */
export function statusOf(answer: Result<OutboundResponse, Failure>): number | undefined {
  if (answer.ok) return answer.value.status
  const status = answer.error.details?.['status']
  return typeof status === 'number' ? status : undefined
}

/** It was written, and nothing says what became of it. */
function isInDoubt(answer: Result<OutboundResponse, Failure>): boolean {
  const status = statusOf(answer)
  if (status !== undefined) return PASSED_ON.has(status)
  return !answer.ok && answer.error.details?.['sent'] !== false
}

/** ms until the next try; `undefined` where there is none. */
function waitAfter(
  answer: Result<OutboundResponse, Failure>,
  attempt: number,
  repeatable: boolean,
  now: () => number,
): number | undefined {
  const backoff =
    Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
  if (!answer.ok) {
    if (answer.error.code !== 'OUTBOUND_FAILED' && answer.error.code !== 'TIMEOUT') return undefined
    return repeatable || answer.error.details?.['sent'] === false ? backoff : undefined
  }
  if (!repeatable || !PASSING.has(answer.value.status)) return undefined
  const asked = retryAfterMs(answer.value.headers['retry-after'], now())
  if (asked === undefined) return backoff
  return asked > LONGEST_ASKED_MS ? undefined : Math.max(asked, backoff)
}

/**
 * Answers that say nothing of an earlier try: the target was not able to look, or is still at it.
 */
const isMute = (status: number): boolean =>
  PASSING.has(status) || PASSED_ON.has(status) || status === 409

/** A write whose answer was lost is neither done nor undone. */
function inDoubt(
  answer: Result<OutboundResponse, Failure>,
  { write, name, key }: Sending,
): Result<OutboundResponse, Failure> {
  const status = statusOf(answer)
  if (!write || (status !== undefined && !isMute(status))) return answer
  const why = answer.ok ? `${name} answered ${answer.value.status}` : answer.error.message
  return err(
    failure(
      'OUTCOME_UNKNOWN',
      `${why}. Whether ${name} acted on it is unknown: check there before you repeat it.`,
      {
        details: {
          ...(answer.ok ? { status: answer.value.status } : answer.error.details),
          ...(key !== undefined && { key }),
        },
      },
    ),
  )
}
