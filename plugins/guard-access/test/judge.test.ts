import { defineBundle, ok, type Action, type Json, type ToolDefinition } from '@amodal/sdk'
import { actionOf } from '@amodal/plugin-connect-rest/tokens'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listWithoutHidden } from '../src/hidden.ts'
import { Judge } from '../src/judge.ts'
import { action, connection, rule } from './support.ts'

const judge = new Judge()
const asked = { delegated: false, declared: 'allow' } as const

// `intent` in an access rule is what a call has to say of itself.
test.each([
  ['read', 'GET', undefined, 'allow'],
  ['read', 'POST', undefined, 'never'],
  ['write', 'POST', undefined, 'never'],
  ['write', 'POST', 'write', 'allow'],
  ['write', 'POST', 'confirmed_write', 'allow'],
  ['confirmed_write', 'POST', undefined, 'never'],
  ['confirmed_write', 'POST', 'write', 'never'],
  ['confirmed_write', 'POST', 'confirmed_write', 'confirm'],
] as const)('a rule with intent %s, of a %s that says %s: %s', (wanted, method, intent, tier) => {
  const deals = connection([rule(`${method} /deals`, 'allow', { intent: wanted })])
  const call = action(method, '/v1/deals')
  expect(judge.judge(deals, call, { ...asked, ...(intent && { intent }) }).tier).toBe(tier)
})

describe('tools of an MCP server', () => {
  const mcp = (...rules: readonly ReturnType<typeof rule>[]) =>
    connection(rules, { protocol: 'mcp' })
  const call = (path: string, body: Json = {}, effect: Action['effect'] = 'write'): Action => ({
    connection: 'crm',
    protocol: 'mcp',
    method: 'CALL',
    path,
    query: {},
    headers: {},
    body,
    effect,
  })

  test.each([
    ['create_issue', [rule('CALL create_issue', 'review')], 'review'],
    ['create_issue', [rule('CALL Create_Issue', 'never')], 'never'],
    ['create_issue', [rule('CALL create_*', 'never'), rule('CALL create_issue', 'allow')], 'allow'],
    ['create_issue', [rule('CALL *', 'never'), rule('CALL create_*', 'review')], 'review'],
    [
      'create_issue',
      [
        rule('CALL create_*', 'review'),
        rule('CALL *_issue', 'never'),
        rule('CALL create_i*', 'confirm'),
      ],
      'confirm',
    ],
    ['create_issue', [rule('* /**', 'never')], 'never'],
    ['create_issue', [rule('CALL other', 'never')], 'confirm'],
  ] as const)('%s under %j: %s', (name, rules, tier) =>
    expect(judge.judge(mcp(...rules), call(name), asked).tier).toBe(tier),
  )

  test('ask for what they ask themselves where no access.json stands beside them', () => {
    const plain = connection([], { protocol: 'mcp', accessGiven: false })
    expect(judge.judge(plain, call('x'), { ...asked, declared: 'confirm' }).tier).toBe('confirm')
    expect(judge.judge(plain, call('x'), asked).tier).toBe('allow')
    expect(judge.judge(plain, call('x'), { delegated: true, declared: 'confirm' }).tier).toBe(
      'review',
    )
    expect(judge.judge(plain, call('x', { entities: [1, 2, 3, 4, 5, 6] }), asked)).toMatchObject({
      tier: 'review',
      bulk: { count: 6 },
    })
  })

  test('have thresholds on their arguments', () => {
    const paid = mcp(
      rule('CALL pay', 'confirm', {
        thresholds: [{ field: 'body.amount', above: 100, escalate: 'never' }],
      }),
    )
    expect(
      [5, 500].map((amount) => judge.judge(paid, call('pay', { amount }), asked).tier),
    ).toEqual(['confirm', 'never'])
  })
})

describe('GraphQL in the address and in the body', () => {
  const graph = connection([
    rule('QUERY *', 'allow'),
    rule('MUTATION pay', 'confirm', {
      thresholds: [{ field: 'body.variables.amount', above: 100, escalate: 'never' }],
    }),
  ])
  const query = 'mutation($amount: Int) { pay(amount: $amount) { id } }'
  const act = (args: object): Action => {
    const made = actionOf(
      { name: 'crm', baseUrl: 'https://api.example.com/v1' },
      { endpoint: '/graphql', ...args },
    )
    if (!made.ok) throw new Error(made.error)
    return made.value
  }

  test.each([
    ['variables beside the operation', { params: { query, variables: '{"amount":500}' } }, 'never'],
    ['small ones', { params: { query, variables: '{"amount":5}' } }, 'confirm'],
    ['what are no variables', { params: { query, variables: 'amount=500' } }, 'never'],
    [
      'an operation in the address, variables in the body',
      {
        method: 'POST',
        params: { query },
        data: { query: '{ deals { id } }', variables: { amount: 500 } },
      },
      'never',
    ],
    [
      'an operation in the body, variables in the address',
      { method: 'POST', params: { variables: '{"amount":500}' }, data: { query } },
      'never',
    ],
  ])('%s', (_name, args, tier) => expect(judge.judge(graph, act(args), asked).tier).toBe(tier))

  test('an operation that cannot be read may be any mutation', () => {
    const closed = connection([rule('MUTATION *', 'never')])
    expect(
      judge.judge(closed, act({ method: 'POST', data: { id: 'persisted-1' } }), asked).tier,
    ).toBe('never')
  })
})

describe('however it is spelled', () => {
  const closed = connection([rule('* /admin/**', 'never'), rule('GET /**', 'allow')])
  const encoded = (letter: string): string =>
    [...new TextEncoder().encode(letter)]
      .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
      .join('')
  /** One letter as a server might read it. */
  const letter = (of: string): fc.Arbitrary<string> =>
    fc.constantFrom(
      of,
      of.toUpperCase(),
      encoded(of),
      `%25${encoded(of).slice(1)}`,
      String.fromCodePoint(of.codePointAt(0)! + 0xfee0),
    )
  const slash = fc.constantFrom(
    '/',
    '//',
    '/./',
    '/%2e/',
    '/x/../',
    '/x/%2E%2e/',
    '%2F',
    '%2f',
    '%5C',
    '／',
    '∕',
    ';a=b/',
    '%20/',
    './',
    '/.%2F',
  )
  const word = fc.tuple(...[...'admin'].map(letter)).map((letters) => letters.join(''))
  const path = fc
    .tuple(
      fc.constantFrom('/', '', '/./', '/v1/', 'x/../'),
      word,
      slash,
      fc.constantFrom('users', '%75sers', 'x'),
    )
    .map((parts) => parts.join(''))

  test('a path below a closed tree is never open', () => {
    fc.assert(
      fc.property(path, fc.constantFrom('GET', 'POST', 'get', 'HEAD'), (endpoint, method) => {
        const made = actionOf(
          { name: 'crm', baseUrl: 'https://api.example.com/v1' },
          { method, endpoint },
        )
        expect(made.ok ? judge.judge(closed, made.value, asked).tier : 'refused').toMatch(
          /^(never|refused)$/,
        )
      }),
      { numRuns: 3_000 },
    )
  })

  test('a path that says nothing of it is never closed', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.stringMatching(/^[b-z0-9_.~-]{1,12}$/).filter((text) => !/^\.+$/.test(text)),
          { minLength: 1, maxLength: 5 },
        ),
        (segments) => {
          const made = actionOf(
            { name: 'crm', baseUrl: 'https://api.example.com/v1' },
            { endpoint: `/${segments.join('/')}` },
          )
          expect(made.ok && judge.judge(closed, made.value, asked).tier).toBe('allow')
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

test('says why, and what made it stricter', () => {
  const orders = connection([
    rule('POST /orders', 'confirm', {
      reason: 'Orders parts',
      thresholds: [{ field: 'body.total', above: 500, escalate: 'review' }],
    }),
  ])
  expect(
    judge.judge(orders, action('POST', '/v1/orders', { body: { total: 501 } }), asked),
  ).toMatchObject({
    tier: 'review',
    escalated: true,
    reasons: ['POST /v1/orders: Orders parts', '`body.total` is above 500'],
  })
  expect(
    judge.judge(orders, action('POST', '/v1/orders', { body: { total: 5 } }), asked),
  ).toMatchObject({ tier: 'confirm', escalated: false })
  expect(judge.judge(orders, action('DELETE', '/v1/orders/7'), asked).reasons).toEqual([
    'DELETE /v1/orders/7: no rule names it',
  ])
})

test('rules hold the base path or not, also where the address of the connection is not known yet', () => {
  const both = connection([rule('GET /v1/a', 'never'), rule('GET /b', 'never')])
  for (const path of ['/v1/a', '/v1/b'])
    expect(judge.judge(both, action('GET', path), asked).tier).toBe('never')
  const { base: _, ...bare } = action('GET', '/v1/a')
  expect(judge.judge({ ...both, spec: {} }, bare, asked).tier).toBe('never')
})

describe('what is delegated', () => {
  const day = 86_400_000
  const limited = connection([rule('POST /deals', 'allow')])
  const aged = {
    ...limited,
    access: {
      ...limited.access,
      delegations: { enabled: true, escalateConfirm: true, maxDurationDays: 7 },
    },
  }
  const tier = (method: string, delegatedMs: number, delegated = true) =>
    judge.judge(aged, action(method, '/v1/deals'), { delegated, delegatedMs, declared: 'allow' })
      .tier

  test('writes for as many days as it may', () => {
    expect([
      tier('POST', 6 * day),
      tier('POST', 8 * day),
      tier('GET', 8 * day),
      tier('POST', 8 * day, false),
    ]).toEqual(['allow', 'never', 'allow', 'allow'])
  })
})

test('tools of a server that a pattern hides are in no list', () => {
  const tool = (name: string): ToolDefinition => ({
    name: `crm__${name}`,
    description: name,
    parameters: { type: 'object', properties: { x: {} } },
    parse: (args) => ok(args),
    readOnly: false,
    action: (args) =>
      ok({
        connection: 'crm',
        protocol: 'mcp',
        method: 'CALL',
        path: name,
        query: {},
        headers: {},
        body: args,
        effect: 'write',
      }),
    execute: () => Promise.resolve({ status: 'success', output: 1 }),
  })
  const bundle = {
    ...defineBundle({ name: 'test' }),
    parts: {
      connections: JSON.parse(
        JSON.stringify([
          connection([rule('CALL drop_*', 'never', { hidden: true })], { protocol: 'mcp' }),
        ]),
      ) as Json,
    },
  }
  const list = listWithoutHidden(
    {
      tools: ['drop_all', 'list'].map(tool),
      aliases: { wipe: 'crm__drop_all', look: 'crm__list' },
    },
    bundle,
    judge,
  )
  expect([list.tools.map(({ name }) => name), list.aliases]).toEqual([
    ['crm__list'],
    { look: 'crm__list' },
  ])
})
