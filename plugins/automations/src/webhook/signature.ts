import { createHmac, timingSafeEqual } from 'node:crypto'
import { sha256 } from '@amodal/sdk'
import { webhookKey } from '@amodal/sdk/wire'
import type { WebhookAuth } from '../definition.ts'

/** A request as it arrived: the signature is made over these very bytes. */
export interface SignedRequest {
  readonly headers: Headers
  readonly body: Uint8Array
}

/** Seconds that a timestamp may be off. */
const TOLERANCE_S = 300

/**
 * Whether one of the secrets signed the request. Every candidate is compared in constant time, and
 * a timestamp further off than 300 s is refused.
 *
 * @param secrets in clear
 * @param now ms since the epoch
 */
export function isSigned(
  auth: WebhookAuth,
  request: SignedRequest,
  secrets: readonly string[],
  now: number,
): boolean {
  const claim = claimOf(auth, request, now)
  if (!claim) return false
  // No early end: how long it takes does not say which of them fits.
  let fits = false
  for (const secret of secrets) {
    if (secret === '') continue
    const wanted = createHmac('sha256', keyOf(auth, secret)).update(claim.signed).digest()
    for (const given of claim.signatures)
      if (given.length === wanted.length && timingSafeEqual(given, wanted)) fits = true
  }
  return fits
}

interface Claim {
  /** What the signature is over. */
  readonly signed: Uint8Array
  readonly signatures: readonly Uint8Array[]
}

function claimOf(auth: WebhookAuth, request: SignedRequest, now: number): Claim | undefined {
  switch (auth.type) {
    case 'github':
      return plain(request, { header: 'x-hub-signature-256', prefix: 'sha256=', encoding: 'hex' })
    case 'hmac-sha256':
      return plain(request, {
        header: auth.header ?? 'x-amodal-signature',
        prefix: auth.prefix ?? '',
        encoding: auth.encoding ?? 'hex',
      })
    case 'slack':
      return slack(request, now)
    case 'stripe':
      return stripe(request, now)
    case 'standard-webhooks':
      return standard(request, now)
  }
}

const SHA256_PREFIX = /^sha256=/i

/** The signature of the body itself, in one header. `sha256=` before it may always stand. */
function plain(
  { headers, body }: SignedRequest,
  { header, prefix, encoding }: Required<Pick<WebhookAuth, 'header' | 'prefix' | 'encoding'>>,
): Claim | undefined {
  const value = headers.get(header)?.trim()
  if (value === undefined || !value.startsWith(prefix)) return undefined
  const text = prefix === '' ? value.replace(SHA256_PREFIX, '') : value.slice(prefix.length)
  return { signed: body, signatures: bytesOf([text], encoding) }
}

/** `v0=HEX` over `v0:TIMESTAMP:BODY`. */
function slack({ headers, body }: SignedRequest, now: number): Claim | undefined {
  const at = headers.get('x-slack-request-timestamp') ?? ''
  const value = headers.get('x-slack-signature') ?? ''
  if (!isRecent(at, now) || !value.startsWith('v0=')) return undefined
  return { signed: joined(`v0:${at}:`, body), signatures: bytesOf([value.slice(3)], 'hex') }
}

/** `t=TIMESTAMP,v1=HEX,v1=HEX` over `TIMESTAMP.BODY`. */
function stripe({ headers, body }: SignedRequest, now: number): Claim | undefined {
  const parts = (headers.get('stripe-signature') ?? '').split(',').map((part) => part.trim())
  const at = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
  const values = parts.flatMap((part) => (part.startsWith('v1=') ? [part.slice(3)] : []))
  if (!isRecent(at, now)) return undefined
  return { signed: joined(`${at}.`, body), signatures: bytesOf(values, 'hex') }
}

/** `v1,BASE64 v1,BASE64` over `ID.TIMESTAMP.BODY` (standardwebhooks.com). */
function standard({ headers, body }: SignedRequest, now: number): Claim | undefined {
  const id = headers.get('webhook-id') ?? ''
  const at = headers.get('webhook-timestamp') ?? ''
  if (id === '' || !isRecent(at, now)) return undefined
  const values = (headers.get('webhook-signature') ?? '')
    .split(' ')
    .flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []))
  return { signed: joined(`${id}.${at}.`, body), signatures: bytesOf(values, 'base64') }
}

/** Signatures that are compared: a header full of them is no reason to work longer. */
const MOST_SIGNATURES = 8

function bytesOf(texts: readonly string[], encoding: 'hex' | 'base64'): readonly Uint8Array[] {
  const shape = encoding === 'hex' ? /^[0-9a-f]{64}$/i : /^[A-Za-z0-9+/]{43}=$/
  return texts
    .slice(0, MOST_SIGNATURES)
    .filter((text) => shape.test(text))
    .map((text) => Buffer.from(text, encoding))
}

const joined = (text: string, body: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(text), body])

const isRecent = (seconds: string, now: number): boolean =>
  /^\d{1,12}$/.test(seconds) && Math.abs(now / 1_000 - Number(seconds)) <= TOLERANCE_S

function keyOf({ type }: Pick<WebhookAuth, 'type'>, secret: string): Uint8Array {
  return type === 'standard-webhooks' ? webhookKey(secret) : Buffer.from(secret)
}

/** Headers that name a delivery, by scheme. */
const ID_HEADERS = ['webhook-id', 'x-github-delivery', 'idempotency-key'] as const
const MOST_ID = 200

/**
 * What names this delivery: the same one again is a replay. The hash of the bytes, where the sender
 * names none.
 */
export function deliveryIdOf(
  auth: WebhookAuth | undefined,
  { headers, body }: SignedRequest,
): string {
  if (auth?.idHeader === undefined && (auth?.type === 'stripe' || auth?.type === 'slack')) {
    const named = idIn(body)
    if (named !== undefined) return `${auth.type}:${named}`
  }
  const names: readonly string[] = auth?.idHeader === undefined ? ID_HEADERS : [auth.idHeader]
  for (const name of names) {
    const value = headers.get(name)
    if (value !== null && value !== '') return `${name.toLowerCase()}:${value.slice(0, MOST_ID)}`
  }
  return `sha256:${sha256(Buffer.from(body).toString('base64'))}`
}

/** The id that an event of Stripe (`id`) or Slack (`event_id`) carries in itself. */
function idIn(body: Uint8Array): string | undefined {
  const found = /"(?:event_id|id)"\s*:\s*"((?:evt_|Ev)[\w-]{1,100})"/.exec(
    Buffer.from(body).toString('utf8'),
  )
  return found?.[1]
}
