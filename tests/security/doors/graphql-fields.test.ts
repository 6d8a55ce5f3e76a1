import type { Json, JsonObject } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type ApiServer } from '../support/api-server.ts'
import { openDoor, type Door, textIn } from '../support/door.ts'
import { leaked, PLANTED, SEEN } from '../support/shapes/shape.ts'

/** Nothing restricts it, and no rule lets it pass. */
const SALARY = 'salary-77123'
const STREET = '12 Rue Hidden'
const { ssn, email, nickname } = PLANTED

interface Asked {
  readonly name: string
  /** As it is sent: `data` of the request, or its `params`. */
  readonly data?: Json
  readonly params?: JsonObject
  /** What the server says. */
  readonly says: Json
  /** What is told of it; `withheld`: nothing, and how to allow it. */
  readonly told: Json
}
const ask = (name: string, query: string, says: Json, told: Asked['told']): Asked => ({
  name,
  data: { query },
  says,
  told,
})
const person = (fields: Json): Json => ({ data: { person: fields } })
const twice = (level: number): string =>
  level === 0 ? '' : `fragment F${level} on P { a { ...F${level - 1} } b { ...F${level - 1} } } `
const bomb = `{ person { ...F40 } } ${Array.from({ length: 40 }, (_, n) => twice(n + 1)).join('')} fragment F0 on P { id salary }`

const CASES: readonly Asked[] = [
  ask(
    'names',
    '{ person { id plan salary ssn } }',
    person({ id: 'c1', plan: SEEN, salary: SALARY, ssn }),
    person({ id: 'c1', plan: SEEN }),
  ),
  ask(
    'an alias of what is not named',
    '{ person { id: salary plan } }',
    person({ id: SALARY, plan: SEEN }),
    person({ plan: SEEN }),
  ),
  ask(
    'a fragment',
    '{ person { ...F } } fragment F on Person { id plan: salary address { city street } }',
    person({ id: 'c1', plan: SALARY, address: { city: 'Lyon', street: STREET } }),
    person({ id: 'c1', address: { city: 'Lyon' } }),
  ),
  ask(
    'one key for two fields',
    '{ person { id ... on A { plan } ... on B { plan: salary } } }',
    person({ id: 'c1', plan: SALARY }),
    person({ id: 'c1' }),
  ),
  ask(
    'a path under another name',
    '{ person { id address: employer { city } home: address { city } } }',
    person({ id: 'c1', address: { city: SALARY }, home: { city: 'Lyon' } }),
    person({ id: 'c1', address: {}, home: { city: 'Lyon' } }),
  ),
  ask(
    'lists in lists',
    '{ people { edges { node { id salary friends { id plan salary } } } pairs { id salary } } }',
    {
      data: {
        people: {
          edges: [
            {
              node: {
                id: 'c1',
                salary: SALARY,
                friends: [{ id: 'c2', plan: SEEN, salary: SALARY }, null],
              },
            },
          ],
          pairs: [[{ id: 'c3', salary: SALARY }]],
        },
      },
    },
    {
      data: {
        people: {
          edges: [{ node: { id: 'c1', friends: [{ id: 'c2', plan: SEEN }, null] } }],
          pairs: [[{ id: 'c3' }]],
        },
      },
    },
  ),
  ask(
    'what was not asked for',
    '{ person { id } }',
    person({ id: 'c1', plan: SEEN, salary: SALARY }),
    person({ id: 'c1' }),
  ),
  ask(
    'errors',
    '{ person { id salary } }',
    {
      data: { person: null },
      errors: [
        {
          message: `Ada earns ${SALARY} (${ssn}), ${nickname}`,
          path: ['person', 'salary'],
          locations: [{ line: 1, column: 15 }],
          extensions: { code: 'FORBIDDEN', value: SALARY, email },
        },
      ],
    },
    {
      data: { person: null },
      errors: [
        {
          message: 'MARK',
          path: ['person', 'salary'],
          locations: [{}],
          extensions: { code: 'FORBIDDEN' },
        },
      ],
    },
  ),
  ask(
    'messages where the rule names them',
    'mutation { drop(id: 1) { id } }',
    { data: null, errors: [{ message: 'no such id', message_id: SALARY }] },
    { errors: [{ message: 'no such id' }] },
  ),
  ask(
    'anything, where a rule says so',
    '{ open { note ssn } }',
    { data: { open: { note: 'Ada is here', ssn } } },
    { data: { open: { note: 'Ada is here' } } },
  ),
  ask(
    'more fragments than there is room for',
    bomb,
    person({ a: { b: { a: { id: SALARY } } } }),
    person({ a: { b: { a: {} } } }),
  ),
  ask('a document that cannot be read', '{ person { id ', person({ id: SALARY }), 'withheld'),
  ask(
    'a query or a mutation',
    'query A { person { id } } mutation B { save { id } }',
    person({ id: SALARY }),
    'withheld',
  ),
  {
    name: 'two operations of which nobody says which',
    data: { query: 'query A { person { id plan } } query B { person { id: salary plan } }' },
    says: person({ id: SALARY, plan: SEEN }),
    told: person({ plan: SEEN }),
  },
  {
    name: 'the operation that is named',
    data: {
      query: 'query A { person { plan: salary } } query B { person { plan } }',
      operationName: 'B',
    },
    says: person({ plan: SEEN }),
    told: person({ plan: SEEN }),
  },
  {
    name: 'an operation that is kept on the server',
    data: { extensions: { persistedQuery: { version: 1, sha256Hash: 'ab' } } },
    says: person({ id: SALARY }),
    told: 'withheld',
  },
  {
    name: 'a batch',
    data: [{ query: '{ person { id: salary plan } }' }, { query: '{ people { id } }' }],
    says: [
      person({ id: SALARY, plan: SEEN }),
      { data: { people: [{ id: 'c2', salary: SALARY }] } },
    ],
    told: [person({ plan: SEEN }), { data: { people: [{ id: 'c2' }] } }],
  },
  {
    name: 'a body that is a text',
    data: JSON.stringify({ query: '{ person { plan\u003a salary id } }' }),
    says: person({ plan: SALARY, id: 'c1' }),
    told: person({ id: 'c1' }),
  },
]

const restricted = (field: string, policy: string): JsonObject => ({
  entity: 'Person',
  field,
  policy,
  sensitivity: 'internal',
})
const ACCESS = {
  default: 'allow',
  endpoints: {
    'QUERY person': { allow_fields: ['id', 'plan', 'address.city'] },
    'QUERY people': { allow_fields: ['id', 'plan'] },
    'QUERY open': { allow_fields: ['*'] },
    'QUERY *': { allow_fields: ['id'] },
    'MUTATION save': { confirm: false, allow_fields: ['id', 'message'] },
    'MUTATION drop': { confirm: false, allow_fields: ['id', 'errors.message'] },
  },
  fieldRestrictions: [
    restricted('ssn', 'never_retrieve'),
    restricted('email', 'retrieve_but_redact'),
    restricted('nickname', 'role_gated'),
  ],
}

/** Makes the call that it is told to make, and says that it did. */
const obedient: Script = ({ messages }) => {
  const last = messages.at(-1)
  if (last?.role === 'tool') return reply.text('Done.')
  const text = typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content)
  const args = JSON.parse(/CALL (.*) END/s.exec(text)?.[1] ?? '{}') as JsonObject
  return reply.toolCalls([{ name: 'request', arguments: args }])
}

describe('a response of GraphQL whose fields a rule names', () => {
  let api: ApiServer
  let door: Door
  let says: Json
  beforeAll(async () => {
    api = await startApi(() =>
      typeof says === 'string'
        ? { headers: { 'content-type': 'text/plain' }, body: says }
        : { body: JSON.stringify(says) },
    )
    const files = (access: JsonObject): Readonly<Record<string, object>> => ({
      'connections/hr/spec.json': { baseUrl: api.url },
      'connections/hr/access.json': access,
      'connections/endpoint/spec.json': { baseUrl: api.url },
      'connections/endpoint/access.json': {
        ...access,
        endpoints: { 'POST /graphql': { allow_fields: ['id'] } },
      },
    })
    door = await openDoor({
      script: obedient,
      manifest: { plugins: [{ without: 'guard-taint', unsafe: true }] },
      files: files(ACCESS), // plain data
    })
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
  })

  /** What the model is told, and everything that is told to anybody. */
  async function call(args: JsonObject): Promise<{ readonly told: string; readonly all: string }> {
    const before = door.model.requests.length
    const events = await door.stream(`CALL ${JSON.stringify(args)} END`)
    const asked = door.model.requests.slice(before).flatMap(({ body }) => body.messages.slice(1))
    const result = events.find(({ type }) => type === 'tool_call_result')
    return {
      told: textIn(result, 'result') || textIn(result, 'error'),
      all: JSON.stringify([
        asked.filter(({ role }) => role === 'tool'),
        events.filter(({ type }) => type !== 'tool_call_start' && type !== 'init'),
      ]),
    }
  }
  const withMark = (text: string): string =>
    text.replaceAll(/\[withheld: what stands here[^\]]*\]|\[withheld: this held[^\]]*\]/g, 'MARK')

  test.each(CASES)('tells those alone: $name', async ({ data, params, says: said, told }) => {
    says = said
    const heard = await call({
      connection: 'hr',
      endpoint: '/graphql',
      method: params ? 'GET' : 'POST',
      ...(data !== undefined && { data }),
      ...(params && { params }),
    })
    expect(leaked(heard.all), heard.all).toEqual([])
    expect(heard.all).not.toMatch(/77123|Rue Hidden/)
    if (told === 'withheld') {
      expect(heard.told).toMatch(/was withheld: it may hold Person\.ssn/)
      expect(heard.told).toMatch(/"(?:QUERY|MUTATION) (?:person|\*)": \{ "allow_fields"/)
    } else expect(JSON.parse(withMark(heard.told))).toEqual(told)
  })

  test('counts for its endpoint, where no rule names the operation', async () => {
    says = person({ id: SALARY, key: 'c1', plan: SALARY })
    const { told } = await call({
      connection: 'endpoint',
      endpoint: '/graphql',
      method: 'POST',
      data: { query: '{ person { id: plan key: id plan } }' },
    })
    expect(JSON.parse(told)).toEqual(person({ key: 'c1' }))
  })
})
