import { webhookHeaders, type WebhookVerdict } from '@amodal/sdk/wire'
import { createHmac } from 'node:crypto'
import type { DeliveryStatus } from '../run.ts'

/** ms until the next attempt, after each failed one: over a day in all. */
export const RETRY_MS: readonly number[] = [
  5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000,
]
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
export function nextOf(verdict: WebhookVerdict, failed: number, random: number): Next {
  if (verdict.kind === 'delivered') return { status: 'delivered' }
  if (verdict.kind === 'final') return { status: 'dead', gone: verdict.isGone }
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
