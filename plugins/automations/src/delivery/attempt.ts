import { mayPassLater, retryAfterMs, webhookHeaders } from '@amodal/sdk/wire'
import { createHmac } from 'node:crypto'
import type { DeliveryStatus } from '../run.ts'

/** ms until the next attempt, after each failed one: over a day in all. */
export const RETRY_MS: readonly number[] = [
  5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000,
]
/** A target may ask for more patience, up to this. */
const MOST_RETRY_AFTER_MS = 86_400_000

/** What an attempt means for its delivery. */
export type Verdict =
  | { readonly kind: 'delivered' }
  /** It makes no sense to try again. `gone`: nor does anything else for this target. */
  | { readonly kind: 'final'; readonly gone: boolean; readonly error: string }
  | { readonly kind: 'later'; readonly error: string; readonly afterMs?: number }

/** @param now ms since the epoch, for a `Retry-After` that is a date */
export function verdictOf(status: number, retryAfter: string | undefined, now: number): Verdict {
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const error = `it answered ${status}`
  if (status === 410) return { kind: 'final', gone: true, error: `${error}: it is gone` }
  if (status >= 300 && status < 400)
    return { kind: 'final', gone: false, error: `${error}: redirects are not followed` }
  if (!mayPassLater(status)) return { kind: 'final', gone: false, error }
  const afterMs = askedMs(retryAfter, now)
  return { kind: 'later', error, ...(afterMs !== undefined && { afterMs }) }
}

function askedMs(retryAfter: string | undefined, now: number): number | undefined {
  const ms = retryAfterMs(retryAfter, now)
  return ms !== undefined && Number.isFinite(ms) && ms > 0
    ? Math.min(ms, MOST_RETRY_AFTER_MS)
    : undefined
}

/** What is done after an attempt: which status, and when the next one is due. */
export interface Next {
  readonly status: DeliveryStatus
  readonly afterMs?: number
  readonly gone?: boolean
}

/**
 * @param failed attempts that have failed, this one included
 * @param random from 0 to 1
 */
export function nextOf(verdict: Verdict, failed: number, random: number): Next {
  if (verdict.kind === 'delivered') return { status: 'delivered' }
  if (verdict.kind === 'final') return { status: 'dead', gone: verdict.gone }
  const wait = RETRY_MS[failed - 1]
  if (wait === undefined) return { status: 'dead' }
  const spread = wait * (0.9 + 0.2 * random)
  return { status: 'pending', afterMs: Math.round(Math.max(spread, verdict.afterMs ?? 0)) }
}

/** Headers of Standard Webhooks, and the signature of the body alone. */
export function signatureHeaders(
  id: string,
  body: string,
  secret: string | undefined,
  now: number,
): Readonly<Record<string, string>> {
  const standard = webhookHeaders(id, body, secret, now)
  if (secret === undefined) return standard
  const plain = createHmac('sha256', secret).update(body).digest('hex')
  return { ...standard, 'x-amodal-signature': `sha256=${plain}` }
}
