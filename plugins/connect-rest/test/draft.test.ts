import { err, failure, ok, type Action } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { draftOf, reveal } from '../src/draft.ts'

const HANDLE = '[redacted:contact.email:3f2a]'
const action: Action = {
  connection: 'crm',
  protocol: 'rest',
  method: 'POST',
  path: `/v1/people/${HANDLE}/a%2Fb c`,
  query: { q: [`to:${HANDLE}`] },
  headers: { 'x-to': HANDLE },
  body: { to: [HANDLE], note: 'plain' },
  effect: 'write',
}
const revealed = (value: string) =>
  reveal(draftOf(action), (text) => ok(text.replaceAll(HANDLE, value)))

test('withheld values take the place of their handles, wherever the caller passed one', () => {
  expect(revealed('ada@example.com')).toEqual(
    ok({
      path: '/v1/people/ada%40example.com/a%2Fb%20c',
      query: { q: ['to:ada@example.com'] },
      headers: { 'x-to': 'ada@example.com' },
      body: { to: ['ada@example.com'], note: 'plain' },
    }),
  )
})

test.each(['../admin', '..', '', 'a/b', 'a\\b', 'a\nb'])(
  'a value cannot lead elsewhere: %j',
  (value) => {
    expect(revealed(value)).toMatchObject({ ok: false, error: { code: 'VALIDATION_ERROR' } })
  },
)

test('one that may not go there stops the request', () => {
  expect(reveal(draftOf(action), () => err(failure('OUTBOUND_REFUSED', 'no')))).toMatchObject({
    ok: false,
    error: { code: 'OUTBOUND_REFUSED' },
  })
})
