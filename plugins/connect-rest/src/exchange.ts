import { err, failure, ok, sleep, type Failure, type Lease, type Outbound, type OutboundResponse, type RestSpec, type Result } from '@amodal/sdk'

export interface Sending {
  readonly name: string
  readonly url: string
  readonly privateOrigin: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** May be sent again although the target may have acted on it. */
  readonly repeatable: boolean
  readonly key?: string
  readonly lease?: Lease
  readonly signal: AbortSignal
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5_000
/** Longer than this a target cannot make us wait. */
const LONGEST_ASKED_MS = 20_000
/** Answers after which the same request may well succeed. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** Sends one request; what may be repeated, again after a failure that may pass. The last answer counts, whatever it is. */
export async function exchange(outbound: Outbound, sending: Sending, { timeoutMs, maxBytes, tries }: RestSpec['limits'], now: () => number): Promise<Result<OutboundResponse, Failure>> {
  const { url, method, headers, body, key, lease, signal, privateOrigin, repeatable } = sending
  for (let attempt = 1; ; attempt++) {
    const answer = await outbound.request({
      url, method, headers, timeoutMs, maxBytes, privateOrigin, signal,
      ...(body !== undefined && { body }), ...(key !== undefined && { key }), ...(lease && { lease }),
    })
    const wait = attempt < tries && !signal.aborted ? waitAfter(answer, attempt, repeatable, now) : undefined
    if (wait === undefined) return answer.ok ? answer : err(inDoubt(answer.error, sending))
    await sleep(wait, signal)
    if (signal.aborted) return answer.ok ? ok(answer.value) : err(inDoubt(answer.error, sending))
  }
}

/** ms until the next try; `undefined` where there is none. */
function waitAfter(answer: Result<OutboundResponse, Failure>, attempt: number, repeatable: boolean, now: () => number): number | undefined {
  const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
  if (!answer.ok) {
    if (answer.error.code !== 'OUTBOUND_FAILED' && answer.error.code !== 'TIMEOUT') return undefined
    return repeatable || answer.error.details?.['sent'] === false ? backoff : undefined
  }
  if (!repeatable || !PASSING.has(answer.value.status)) return undefined
  const asked = retryAfterMs(answer.value.headers['retry-after'], now())
  return asked === undefined ? backoff : asked > LONGEST_ASKED_MS ? undefined : Math.max(asked, backoff)
}

/** Seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d+$/.test(header.trim())) return Number(header) * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** A write whose answer was lost is neither done nor undone. */
function inDoubt(error: Failure, { repeatable, name }: Sending): Failure {
  const lost = !repeatable && (error.code === 'TIMEOUT' || error.code === 'OUTBOUND_FAILED') && error.details?.['sent'] !== false
  return lost ? failure('OUTCOME_UNKNOWN', `${error.message}. Whether ${name} acted on it is unknown: check there before you repeat it.`, { details: error.details ?? {} }) : error
}
