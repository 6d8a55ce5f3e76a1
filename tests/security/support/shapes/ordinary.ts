import { SEEN, type Shape } from './shape.ts'

/** Responses as APIs give them every day: nothing in them is restricted, and most of it passes. */
export const ORDINARY: readonly Shape[] = [
  {
    name: 'a page of orders',
    body: {
      data: [
        {
          id: 'o1',
          total: 1250,
          created_at: '2026-03-01T10:00:00Z',
          lines: [{ sku: 'A-1', quantity: 2 }],
          tags: ['vip', 'b2b'],
          plan: SEEN,
        },
      ],
      next_page_token: 'eyJvZmZzZXQiOjIwMH0=',
      has_more: true,
    },
  },
  {
    name: 'prose in a field',
    body: {
      id: 7,
      title: 'Please send an email tomorrow',
      body: 'Hello Ann,\nthank you for the call on 3 March. Your order 4711 ships at 10:30: see https://shop.example/orders?id=4711.\nBest, Bob',
      plan: SEEN,
    },
  },
  {
    name: 'flags around restricted names',
    body: { email_verified: true, has_ssn: false, email_count: 3, plan: SEEN },
  },
  {
    name: 'a schema that names fields',
    body: {
      fields: [{ name: 'id' }, { name: 'email', type: 'string', required: true }],
      required: ['id', 'email', 'plan'],
      sort: 'email',
      plan: SEEN,
    },
  },
  {
    name: 'an error',
    body: { error: { code: 'invalid_request', message: 'email is required' }, plan: SEEN },
  },
  {
    name: 'tokens and hashes',
    body: {
      id: '3f2a09c1-77aa-4b01-bc93-8c1f0a77de01',
      etag: 'W/"33a64df551425fcc55e4d42a148795d9f25f89d4"',
      image: 'aGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXh0',
      plan: SEEN,
    },
  },
  { name: 'CSV', type: 'text/csv', body: `id,total,plan\n1,50,${SEEN}\n2,70,${SEEN}\n` },
  {
    name: 'a channel',
    body: { notifications: [{ id: 1, channel: 'email', status: 'sent', attempts: 2, plan: SEEN }] },
  },
]
