import { SEEN, type Shape } from './shape.ts'

/**
 * Answers as APIs give them every day: nothing of them is restricted but what is named so, and all
 * else is told.
 */
export const ORDINARY: readonly Shape[] = [
  {
    name: 'a page of orders',
    body: {
      data: [
        {
          id: 'o1',
          total: 1250,
          currency: 'EUR',
          status: 'paid',
          created_at: '2026-03-01T10:00:00Z',
          lines: [{ sku: 'A-1', quantity: 2 }],
          tags: ['vip', 'b2b'],
          plan: SEEN,
        },
      ],
      next_page_token: 'eyJvZmZzZXQiOjIwMH0=',
      has_more: true,
      total: 1,
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
    body: {
      id: 7,
      email_verified: true,
      has_ssn: false,
      email_count: 3,
      email_updated_at: '2026-03-01T10:00:00Z',
      plan: SEEN,
    },
  },
  {
    name: 'a GraphQL answer',
    body: {
      data: {
        orders: {
          edges: [
            { cursor: 'YXJyYXljb25uZWN0aW9uOjA=', node: { id: 'gid://shop/Order/1', plan: SEEN } },
          ],
          pageInfo: { hasNextPage: false },
        },
      },
    },
  },
  {
    name: 'a JSON API answer',
    body: {
      data: [
        {
          type: 'orders',
          id: '1',
          attributes: { plan: SEEN, total: 5 },
          relationships: { buyer: { data: { type: 'people', id: '9' } } },
        },
      ],
    },
  },
  {
    name: 'places on a map',
    body: {
      type: 'Feature',
      geometry: {
        type: 'LineString',
        coordinates: [
          [4.35, 50.84],
          [4.36, 50.85],
        ],
      },
      properties: { plan: SEEN },
    },
  },
  {
    name: 'a schema that names fields',
    body: {
      fields: [
        { name: 'id', type: 'string', required: true },
        { name: 'email', type: 'string', required: true },
        { name: 'plan', type: 'string', description: SEEN },
      ],
    },
  },
  {
    name: 'names of fields in a list',
    body: { required: ['id', 'email', 'plan'], sort: 'email', order: 'asc', plan: SEEN },
  },
  {
    name: 'an error',
    body: {
      error: { code: 'invalid_request', message: 'email is required', param: 'email' },
      plan: SEEN,
    },
  },
  {
    name: 'HTML in a field',
    body: { id: 1, html: '<p>Hello <b>Ann</b>, your order 4711 is on its way.</p>', plan: SEEN },
  },
  {
    name: 'a table with columns',
    body: {
      columns: ['id', 'total', 'plan'],
      rows: [
        [1, 50, SEEN],
        [2, 70, SEEN],
      ],
    },
  },
  {
    name: 'JSON in a field',
    body: { id: 1, metadata: JSON.stringify({ source: 'web', campaign: 7 }), plan: SEEN },
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
  { name: 'objects by their ids', body: { users: { u_1: { plan: SEEN }, u_2: { plan: SEEN } } } },
  {
    name: 'log lines',
    body: { lines: ['2026-03-01 10:00:00 INFO started in 35 ms', 'GET /x 200 12ms'], plan: SEEN },
  },
  {
    name: 'values parted by commas',
    type: 'text/csv',
    body: `id,total,plan\n1,50,${SEEN}\n2,70,${SEEN}\n`,
  },
  {
    name: 'XML',
    type: 'application/xml',
    body: `<orders><order id="1"><total>50</total><plan>${SEEN}</plan></order></orders>`,
  },
  {
    name: 'a channel',
    body: {
      notifications: [
        { id: 1, channel: 'email', status: 'sent', template: 'welcome', attempts: 2, plan: SEEN },
      ],
    },
  },
  {
    name: 'markdown in a field',
    body: { readme: '# Orders\n\n- list: `GET /orders`\n- one: `GET /orders/{id}`\n', plan: SEEN },
  },
  { name: 'an empty list', body: { data: [], total: 0, plan: SEEN } },
]
