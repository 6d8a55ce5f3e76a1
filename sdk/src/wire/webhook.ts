import { createHmac } from 'node:crypto'

const ENCODED = 'whsec_'

/** The key of a secret of Standard Webhooks: base64 behind `whsec_`, otherwise its text. */
export const webhookKey = (secret: string): Uint8Array =>
  secret.startsWith(ENCODED)
    ? Buffer.from(secret.slice(ENCODED.length), 'base64')
    : Buffer.from(secret)

/**
 * Headers that say who sent a webhook, and that it is whole.
 *
 * @param id the same on every attempt
 * @param secret left out: it is named, and not signed
 * @param now ms since the epoch
 * @see https://www.standardwebhooks.com
 *
 * @example
 * const headers = webhookHeaders('msg_1', body, 'whsec_c2VjcmV0', Date.now())
 */
export function webhookHeaders(
  id: string,
  body: string,
  secret: string | undefined,
  now: number,
): Readonly<Record<string, string>> {
  const at = String(Math.floor(now / 1_000))
  const named = { 'webhook-id': id, 'webhook-timestamp': at }
  if (secret === undefined) return named
  const signature = createHmac('sha256', webhookKey(secret))
    .update(`${id}.${at}.${body}`)
    .digest('base64')
  return { ...named, 'webhook-signature': `v1,${signature}` }
}
