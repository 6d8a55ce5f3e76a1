import type { Failure, Result } from '@amodal/kernel'
import type { Outbound, OutboundResponse } from '../ports/outbound.ts'
import type { JobOutcome } from '../ports/queue.ts'
import { mayPassLater, retryAfterMs } from './retry-after.ts'

/** What an attempt means for what was sent. */
export type WebhookVerdict =
  | { readonly kind: 'delivered' }
  /** A retry cannot succeed. `isGone`: the receiver no longer takes anything. */
  | { readonly kind: 'final'; readonly isGone: boolean; readonly error: string }
  /** `afterMs`: as the receiver asked for. */
  | { readonly kind: 'later'; readonly error: string; readonly afterMs?: number }

export interface WebhookPost {
  readonly outbound: Outbound
  /** An http(s) address, references resolved. */
  readonly url: string
  /** The same on every attempt: `webhook-id`. */
  readonly id: string
  /** JSON. */
  readonly body: string
  /** Signatures: see `webhookHeaders`. */
  readonly headers: Readonly<Record<string, string>>
  /** ms since the epoch. */
  readonly now: number
  /** ms for the attempt. */
  readonly timeoutMs: number
  /**
   * `written`: the address comes from the agent's files, so it may be one of this machine or
   * network. A list: origins that may be private ones.
   */
  readonly privateOrigins: 'written' | readonly string[]
  readonly signal: AbortSignal
}

export interface WebhookAttempt {
  readonly verdict: WebhookVerdict
  readonly status?: number
  /** What the receiver answered. */
  readonly text?: () => string
  /** Of the address: the rest of it may be a secret. */
  readonly origin?: string
}

/** Bytes of an answer that are read. */
const MOST_BYTES = 1_048_576
/** A receiver may ask for more patience, up to a day. */
const MOST_RETRY_AFTER_MS = 86_400_000

/**
 * Posts a webhook once, without following redirects, and returns a verdict: delivered, to be
 * retried, or failed.
 *
 * @returns never rejects
 * @example
 * const outbound = deps.outbound
 * const target = { url, id, body, headers, privateOrigins: [] }
 * const { verdict } = await postWebhook({ ...target, outbound, now, timeoutMs: 10_000, signal })
 */
export async function postWebhook(post: WebhookPost): Promise<WebhookAttempt> {
  const { outbound, id, body, headers, now, timeoutMs, privateOrigins, signal } = post
  const url = URL.parse(post.url)
  if (!url || !/^https?:$/.test(url.protocol))
    return { verdict: { kind: 'final', isGone: false, error: 'its address is no http(s) URL' } }
  const { origin } = url
  const isOpened =
    privateOrigins === 'written' ? isPrivate(url.hostname) : privateOrigins.includes(origin)
  const sent = await outbound.request({
    url: url.href,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'amodal', ...headers },
    body,
    timeoutMs,
    maxBytes: MOST_BYTES,
    key: id,
    lease: undefined, // it belongs to no run: the run is over, or waits
    signal,
    ...(isOpened && { privateOrigin: origin }),
  })
  return sent.ok ? answered(sent.value, now, origin) : { verdict: unsent(sent), origin }
}

function answered(response: OutboundResponse, now: number, origin: string): WebhookAttempt {
  const { status, headers } = response
  return {
    verdict: webhookVerdict(status, headers['retry-after'], now),
    status,
    text: () => response.text(),
    origin,
  }
}

function unsent({ error }: Extract<Result<never, Failure>, { ok: false }>): WebhookVerdict {
  const { code, message } = error
  return code === 'OUTBOUND_REFUSED'
    ? { kind: 'final', isGone: false, error: message }
    : { kind: 'later', error: message }
}

/** @param now ms since the epoch, for a `Retry-After` that is a date */
export function webhookVerdict(
  status: number,
  retryAfter: string | undefined,
  now: number,
): WebhookVerdict {
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const error = `it answered ${status}`
  if (status === 410) return { kind: 'final', isGone: true, error: `${error}: it is gone` }
  if (status >= 300 && status < 400)
    return { kind: 'final', isGone: false, error: `${error}: redirects are not followed` }
  if (!mayPassLater(status)) return { kind: 'final', isGone: false, error }
  const ms = retryAfterMs(retryAfter, now)
  const afterMs =
    ms !== undefined && Number.isFinite(ms) && ms > 0
      ? Math.min(ms, MOST_RETRY_AFTER_MS)
      : undefined
  return { kind: 'later', error, ...(afterMs !== undefined && { afterMs }) }
}

/**
 * The outcome of the attempt for its job: a failed attempt counts, and the queue retries it.
 *
 * @param mask takes secrets out of the reason that is kept
 */
export function webhookJobOutcome(
  verdict: WebhookVerdict,
  mask: (text: string) => string = (text) => text,
): JobOutcome {
  switch (verdict.kind) {
    case 'delivered':
      return { kind: 'done' }
    case 'final':
      return { kind: 'dead', reason: mask(verdict.error) }
    case 'later': {
      const { error, afterMs } = verdict
      return {
        kind: 'retry',
        reason: mask(error),
        burnsAttempt: true,
        ...(afterMs !== undefined && { afterMs }),
      }
    }
  }
}

/** Slack shows the field `text`, and refuses a message without it. */
export const bodyForHost = (url: string, content: object, text: string | undefined): string =>
  JSON.stringify(
    URL.parse(url)?.hostname === 'hooks.slack.com' ? { text: text ?? '', ...content } : content,
  )

/** An address that is written down as one of this machine or network. */
function isPrivate(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]')
    return true
  return /^(?:127|10)\.\d+\.\d+\.\d+$|^192\.168\.\d+\.\d+$|^172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+$/.test(
    hostname,
  )
}
