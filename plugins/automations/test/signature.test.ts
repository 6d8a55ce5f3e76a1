import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { WebhookAuth } from '../src/definition.ts'
import { deliveryIdOf, isSigned, type SignedRequest } from '../src/webhook/signature.ts'

const SECRET = "It's a Secret to Everybody"
const NOW = Date.parse('2026-05-01T12:00:00Z')
const SECONDS = String(NOW / 1_000)
const BODY = Buffer.from('Hello, World!')
const hex = (text: string | Buffer, key: string | Buffer = SECRET): string =>
  createHmac('sha256', key).update(text).digest('hex')

const auth = (type: WebhookAuth['type'], more: Partial<WebhookAuth> = {}): WebhookAuth => ({
  type,
  secrets: ['env:S'],
  ...more,
})
const STANDARD_KEY = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** The request of each scheme, signed. */
const SIGNED: Readonly<
  Record<
    string,
    { auth: WebhookAuth; secret: string; headers: Record<string, string>; body: Buffer }
  >
> = {
  // the vector of GitHub's documentation
  github: {
    auth: auth('github'),
    secret: SECRET,
    headers: {
      'x-hub-signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    body: BODY,
  },
  stripe: {
    auth: auth('stripe'),
    secret: SECRET,
    headers: { 'stripe-signature': `t=${SECONDS},v1=${hex(`${SECONDS}.Hello, World!`)},v0=00` },
    body: BODY,
  },
  slack: {
    auth: auth('slack'),
    secret: SECRET,
    headers: {
      'x-slack-request-timestamp': SECONDS,
      'x-slack-signature': `v0=${hex(`v0:${SECONDS}:Hello, World!`)}`,
    },
    body: BODY,
  },
  'standard-webhooks': {
    auth: auth('standard-webhooks'),
    secret: STANDARD_KEY,
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': SECONDS,
      'webhook-signature': `v1,${createHmac('sha256', Buffer.from(STANDARD_KEY.slice(6), 'base64'))
        .update(`msg_1.${SECONDS}.Hello, World!`)
        .digest('base64')}`,
    },
    body: BODY,
  },
  'hmac-sha256 as hex': {
    auth: auth('hmac-sha256'),
    secret: SECRET,
    headers: { 'x-amodal-signature': `sha256=${hex(BODY)}` },
    body: BODY,
  },
  'hmac-sha256 as base64': {
    auth: auth('hmac-sha256', { header: 'X-Sign', prefix: 'sig=', encoding: 'base64' }),
    secret: SECRET,
    headers: { 'x-sign': `sig=${createHmac('sha256', SECRET).update(BODY).digest('base64')}` },
    body: BODY,
  },
}
const requestOf = (headers: Record<string, string>, body: Uint8Array): SignedRequest => ({
  headers: new Headers(headers),
  body,
})

describe.each(Object.entries(SIGNED))('%s', (_, { auth: scheme, secret, headers, body }) => {
  test('takes what was signed, also with the older of two secrets', () => {
    const request = requestOf(headers, body)
    expect(isSigned(scheme, request, [secret], NOW)).toBe(true)
    expect(isSigned(scheme, request, ['another', secret], NOW)).toBe(true)
  })

  test('refuses each single bit that was changed in the body', () => {
    for (let bit = 0; bit < body.length * 8; bit++) {
      const changed = Buffer.from(body)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(isSigned(scheme, requestOf(headers, changed), [secret], NOW)).toBe(false)
    }
  })

  test('refuses another secret, an empty one, none, and a signature that is cut or missing', () => {
    const request = requestOf(headers, body)
    expect(isSigned(scheme, request, ['another'], NOW)).toBe(false)
    expect(isSigned(scheme, request, [''], NOW)).toBe(false)
    expect(isSigned(scheme, request, [], NOW)).toBe(false)
    expect(isSigned(scheme, requestOf({}, body), [secret], NOW)).toBe(false)
    for (const [name, value] of Object.entries(headers))
      expect(
        isSigned(scheme, requestOf({ ...headers, [name]: value.slice(1) }, body), [secret], NOW),
      ).toBe(false)
  })
})

test.each(['stripe', 'slack', 'standard-webhooks'])(
  '%s refuses what is older or newer than 300 s',
  (name) => {
    const signed = SIGNED[name]
    if (!signed) throw new Error('there is no such scheme')
    const at = (now: number): boolean =>
      isSigned(signed.auth, requestOf(signed.headers, signed.body), [signed.secret], now)
    expect([at(NOW + 300_000), at(NOW - 300_000)]).toEqual([true, true])
    expect([at(NOW + 301_000), at(NOW - 301_000)]).toEqual([false, false])
  },
)

describe('what names a delivery', () => {
  const named = (
    type: WebhookAuth['type'] | undefined,
    headers: Record<string, string>,
    body = 'x',
  ) => deliveryIdOf(type && auth(type), requestOf(headers, Buffer.from(body)))

  test('is the id of its sender', () => {
    expect(named('github', { 'x-github-delivery': 'd-1' })).toBe('x-github-delivery:d-1')
    expect(named('standard-webhooks', { 'webhook-id': 'msg_1' })).toBe('webhook-id:msg_1')
    expect(named('stripe', {}, '{"id": "evt_1Nh", "object": "event"}')).toBe('stripe:evt_1Nh')
    expect(named('slack', {}, '{"event_id":"Ev08"}')).toBe('slack:Ev08')
  })

  test('is the hash of its bytes where it says nothing', () => {
    expect(named('hmac-sha256', {}, 'a')).toBe(named('hmac-sha256', {}, 'a'))
    expect(named('hmac-sha256', {}, 'a')).not.toBe(named('hmac-sha256', {}, 'b'))
  })
})
