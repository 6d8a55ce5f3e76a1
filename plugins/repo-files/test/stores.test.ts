import { describe, expect, it } from 'vitest'
import { folder, load, told } from './support.ts'

const ID = { id: { type: 'string' } }
const store = (schema: object, more: object = {}): object => ({
  entity: { name: 'Thing', key: '{id}', schema: { ...ID, ...schema } },
  ...more,
})
const good = store({})

describe('stores', () => {
  it('are named after their file unless they say so, with every type of field', async () => {
    const schema = {
      n: { type: 'number', min: 0, max: 1 },
      b: { type: 'boolean', nullable: true },
      d: { type: 'datetime', description: 'When' },
      e: { type: 'enum', values: ['x', 'y'] },
      a: { type: 'array', item: { type: 'object', fields: { s: { type: 'string' } } } },
      r: { type: 'ref', store: 'named' },
    }
    const { stores, issues } = await load(
      await folder({
        'stores/by-file.json': store(schema, {
          ttl: 60,
          history: { versions: 2 },
          failure: { mode: 'skip' },
        }),
        'stores/x.json': { ...good, name: 'named' },
      }),
    )
    expect(issues).toEqual([])
    expect(stores.map(({ name }) => name)).toEqual(['by-file', 'named'])
    expect(stores[0]).toMatchObject({
      entity: { name: 'Thing', key: '{id}', schema: { ...ID, ...schema } },
      ttl: 60,
      history: { versions: 2 },
      failure: { mode: 'skip' },
    })
  })

  it('are fresh for as long as the first rule says whose conditions hold', async () => {
    const schema = {
      severity: { type: 'enum', values: ['P1', 'P2', 'P3'] },
      score: { type: 'number', nullable: true },
      at: { type: 'datetime' },
      owner: { type: 'object', fields: { name: { type: 'string' } } },
      tags: { type: 'array', item: { type: 'string' } },
    }
    const override = [
      { condition: "severity IN ['P1', 'P2']", ttl: 300 },
      { condition: "score >= -1.5 and owner.name != 'O\\'Neil' AND at < '2026-01-01'", ttl: 5 },
      { condition: 'tags CONTAINS "x" AND score = null', ttl: 0.5 },
    ]
    const { stores, issues } = await load(
      await folder({
        'stores/a.json': store(schema, {
          ttl_conditional: { default: 60, override },
          failure: { retries: 3, backoff: 'exponential', deadLetter: true },
          trace: true,
        }),
      }),
    )
    expect(issues).toEqual([])
    expect(stores[0]).toMatchObject({
      ttl: 60,
      failure: { mode: 'partial', retries: 3, backoff: 'exponential', deadLetter: true },
      trace: true,
    })
    expect(stores[0]?.ttlRules).toEqual([
      { ttl: 300, when: [{ field: 'severity', op: 'in', value: ['P1', 'P2'] }] },
      {
        ttl: 5,
        when: [
          { field: 'score', op: 'gte', value: -1.5 },
          { field: 'owner.name', op: 'ne', value: "O'Neil" },
          { field: 'at', op: 'lt', value: '2026-01-01' },
        ],
      },
      {
        ttl: 0.5,
        when: [
          { field: 'tags', op: 'contains', value: 'x' },
          { field: 'score', op: 'eq', value: null },
        ],
      },
    ])
  })

  it.for([
    ['severity', 'is not made of a field, an operator and a value', 'IN or CONTAINS'],
    ["severity IN ['P1'", 'compares `severity` with no value', 'IN or CONTAINS'],
    ["severity IN 'P1'", 'needs a list behind IN', 'IN or CONTAINS'],
    ["severity = 'P1' AND", 'ends with AND', 'IN or CONTAINS'],
    ["severity = 'P1' OR id = 'x'", 'compares `severity` with no value', 'IN or CONTAINS'],
    ["severity = 'P9'", 'compares `severity` with "P9", which it never is', 'use one of: P1, P2'],
    ["sevrity = 'P1'", 'speaks of `sevrity`, which is no field of the schema', 'write `severity`'],
    ['id > null', 'asks whether `id` is more or less than nothing', 'IN or CONTAINS'],
    ['id = 1; drop', 'cannot be read', 'IN or CONTAINS'],
    ['n CONTAINS 1', 'looks into `n`, which is neither a text nor a list', 'compare it with ='],
  ] as const)('with the condition %s are left out', async ([condition, message, fix]) => {
    const text = `{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" }, "n": { "type": "number" }, "severity": { "type": "enum", "values": ["P1", "P2"] } } },\n"ttl_conditional": { "override": [{\n"condition": ${JSON.stringify(condition)}, "ttl": 5 }] } }`
    const bundle = await load(await folder({ 'stores/bad.json': text, 'stores/good.json': good }))
    expect(bundle.stores.map(({ name }) => name)).toEqual(['good'])
    expect(bundle.issues).toEqual([
      {
        severity: 'error',
        code: 'BAD_REPO',
        file: 'stores/bad.json',
        line: 3,
        message: expect.stringContaining(message),
        fix: expect.stringContaining(fix),
      },
    ])
  })

  it('that each need a document of the other first are left out, with the way round; others are not', async () => {
    const refers = (target: string, more: object = {}): object =>
      store({ r: { type: 'ref', store: target, ...more } })
    const bundle = await load(
      await folder({
        'stores/a.json': refers('b'),
        'stores/b.json': refers('c'),
        'stores/c.json': refers('a'),
        'stores/itself.json': refers('itself'),
        'stores/one.json': refers('other'),
        'stores/other.json': refers('one', { nullable: true }),
        'stores/list.json': store({ r: { type: 'array', item: { type: 'ref', store: 'list' } } }),
      }),
    )
    expect(bundle.stores.map(({ name }) => name)).toEqual(['itself', 'list', 'one', 'other'])
    expect(told(bundle.issues)).toEqual([
      'error stores/a.json:11 the reference is cyclic: a → b → c → a, so that no first document can be written — make one of these references "nullable"',
      'error stores/b.json:11 the reference is cyclic: b → c → a → b, so that no first document can be written — make one of these references "nullable"',
      'error stores/c.json:11 the reference is cyclic: c → a → b → c, so that no first document can be written — make one of these references "nullable"',
    ])
  })

  it.for([
    ['no JSON', '{\n"entity": }', 2, 'a value is missing', 'write a text'],
    ['no entity', '{\n"name": "bad" }', 1, '`entity` is missing', 'an object'],
    [
      'an unknown type',
      '{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" },\n"x": { "type": "strin" } } } }',
      2,
      'cannot be "strin"; did you mean "string"?',
      'use one of: string, number',
    ],
    [
      'a type without its braces',
      '{ "entity": { "key": "{id}", "schema": {\n"id": "string" } } }',
      2,
      '`entity.schema.id` is a text, and an object is needed',
      'an object',
    ],
    ['no fields', '{ "entity": { "key": "{id}",\n"schema": {} } }', 2, 'has no fields', 'add one'],
    [
      'an enum without values',
      '{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" },\n"e": { "type": "enum" } } } }',
      2,
      'is an enum without values',
      '"values"',
    ],
    [
      'an enum with one value twice',
      '{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" }, "e": { "type": "enum",\n"values": ["a", "a"] } } } }',
      2,
      'names a value twice',
      'remove',
    ],
    [
      'a list of unknown items',
      '{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" },\n"a": { "type": "array" } } } }',
      2,
      'unknown items',
      '"item"',
    ],
    [
      'an object of unknown fields',
      '{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" },\n"o": { "type": "object" } } } }',
      2,
      'unknown fields',
      '"fields"',
    ],
    [
      'a reference to nowhere',
      '{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" },\n"r": { "type": "ref" } } } }',
      2,
      'which store',
      '"store"',
    ],
    [
      'bounds that allow nothing',
      '{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" }, "n": { "type": "number",\n"min": 2, "max": 1 } } } }',
      2,
      '`min` is above `max`',
      'exchange',
    ],
    [
      'a field name no provider takes',
      '{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" },\n"größe": { "type": "string" } } } }',
      2,
      'cannot be the name of a field',
      'letters',
    ],
    [
      'a key of no field',
      '{ "entity": { "schema": { "id": { "type": "string" } },\n"key": "{event_id}" } }',
      2,
      'refers to "event_id", which is no field',
      'use one of: id',
    ],
    [
      'a key without braces',
      '{ "entity": { "schema": { "id": { "type": "string" } },\n"key": "id" } }',
      2,
      'the same for every document',
      '"{id}"',
    ],
    [
      'a key that may be null',
      '{ "entity": { "schema": { "id": { "type": "string", "nullable": true } },\n"key": "{id}" } }',
      2,
      'may be null',
      'nullable',
    ],
    [
      'a key of many values',
      '{ "entity": { "schema": { "id": { "type": "array", "item": { "type": "string" } } },\n"key": "{id}" } }',
      2,
      'a whole array',
      'single value',
    ],
    [
      'a name that makes no tool',
      '{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" } } },\n"name": "my store" }',
      2,
      '"my store" cannot be the name of a store',
      'as in active-alerts',
    ],
    [
      'a ttl that is none',
      '{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" } } },\n"ttl": "1h" }',
      2,
      '`ttl` is a text, and a number is needed',
      'a number',
    ],
    [
      'an unknown way to fail',
      '{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" } } }, "failure": {\n"mode": "partail" } }',
      2,
      'did you mean "partial"',
      'all-or-nothing',
    ],
  ] as const)('with %s are left out, and nothing else', async ([, text, line, message, fix]) => {
    const bundle = await load(await folder({ 'stores/bad.json': text, 'stores/good.json': good }))
    expect(bundle.stores.map(({ name }) => name)).toEqual(['good'])
    expect(bundle.issues).toEqual([
      {
        severity: 'error',
        code: 'BAD_REPO',
        file: 'stores/bad.json',
        line,
        message: expect.stringContaining(message),
        fix: expect.stringContaining(fix),
      },
    ])
  })

  it('that would share a tool are told apart: the later one is left out', async () => {
    const bundle = await load(
      await folder({ 'stores/a-b.json': good, 'stores/z.json': { ...good, name: 'a_b' } }),
    )
    expect(bundle.stores.map(({ name }) => name)).toEqual(['a-b'])
    expect(told(bundle.issues)).toEqual([
      'error stores/z.json:11 the store "a_b" makes the name "store_a_b", which is taken by stores/a-b.json; this one is left out — give one of them another name',
    ])
  })

  it('may refer to a store that is not there yet, with a warning', async () => {
    const bundle = await load(
      await folder({
        'stores/a.json': store({
          list: { type: 'array', item: { type: 'ref', store: 'nowhere' } },
          self: { type: 'ref', store: 'a' },
        }),
      }),
    )
    expect(bundle.stores).toHaveLength(1)
    expect(told(bundle.issues)).toEqual([
      'warning stores/a.json:13 there is no store "nowhere" to refer to — add stores/nowhere.json, or correct the name',
    ])
  })

  it('warn of names that nothing reads', async () => {
    const bundle = await load(
      await folder({
        'stores/a.json':
          '{ "entity": { "key": "{id}", "schema": { "id": { "type": "string" },\n"n": { "type": "number", "minimum": 1 } } },\n"tll": 5 }',
      }),
    )
    expect(told(bundle.issues)).toEqual([
      'warning stores/a.json:2 `entity.schema.n.minimum` is not a known field — remove it',
      'warning stores/a.json:3 `tll` is not a known field; did you mean `ttl`? — rename it to `ttl`',
    ])
  })
})

describe('seed documents', () => {
  const schema = {
    title: { type: 'string' },
    severity: { type: 'enum', values: ['P1', 'P2'] },
    score: { type: 'number', min: 0, max: 10 },
    at: { type: 'datetime' },
    open: { type: 'boolean', nullable: true },
    tags: { type: 'array', item: { type: 'string' }, nullable: true },
    more: { type: 'object', fields: { a: { type: 'string' } }, nullable: true },
  }
  const document = { id: '1', title: 't', severity: 'P1', score: 5, at: '2026-03-26T09:14:00Z' }
  const seeded = async (seed: string) => {
    const bundle = await load(
      await folder({ 'stores/a.json': store(schema), 'stores/a.seed.json': seed }),
    )
    return { ids: bundle.stores[0]?.seed?.map(({ id }) => id), issues: bundle.issues }
  }

  it('belong to the store of their file', async () => {
    expect(
      await seeded(
        JSON.stringify([
          document,
          { ...document, id: '2', open: null, tags: ['x'], more: { a: 'b' }, at: '2026-03-26' },
        ]),
      ),
    ).toEqual({ ids: ['1', '2'], issues: [] })
  })

  it.for([
    ['a text where a number is needed', { score: '5' }, '`score` is no number'],
    ['a number out of bounds', { score: 11 }, '`score` is not between 0 and 10'],
    ['an unknown value', { severity: 'P9' }, '`severity` cannot be "P9"'],
    ['a date that is none', { at: '26.3.2026' }, '`at` is no date and time'],
    ['a day that does not exist', { at: '2026-13-40' }, '`at` is no date and time'],
    ['null where it may not be', { title: null }, '`title` is null'],
    ['a list item of the wrong type', { tags: ['x', 1] }, '`tags[1]` is no text'],
    ['a nested value that is missing', { more: {} }, '`more.a` is missing'],
    ['a field the store does not have', { titel: 'x' }, '`titel` is no field of the store'],
    ['the key of another', { id: '1' }, 'it has the key "1" of document 1'],
    ['no key', { id: '' }, '`id` is empty, and it is part of the key'],
  ] as const)('with %s are left out one by one', async ([, change, message]) => {
    const { ids, issues } = await seeded(
      `[${JSON.stringify(document)},\n${JSON.stringify({ ...document, id: '2', ...change })},\n${JSON.stringify({ ...document, id: '3' })}]`,
    )
    expect(ids).toEqual(['1', '3'])
    expect(issues).toEqual([
      {
        severity: 'error',
        code: 'BAD_REPO',
        file: 'stores/a.seed.json',
        line: 2,
        message: `document 2 is left out: ${message}`,
        fix: expect.any(String),
      },
    ])
  })

  it('must be a list, and belong to a store', async () => {
    expect(await seeded('{}')).toMatchObject({
      ids: [],
      issues: [
        { severity: 'error', file: 'stores/a.seed.json', line: 1, fix: 'write [ { … }, { … } ]' },
      ],
    })
    expect(await seeded('[\n5]')).toMatchObject({
      ids: [],
      issues: [{ line: 2, message: 'document 1 is left out: it is no object' }],
    })
    const bundle = await load(await folder({ 'stores/b.seed.json': '[]' }))
    expect(told(bundle.issues)).toEqual([
      'error stores/b.seed.json:1 these documents belong to no store that could be read, and are left out — correct or add stores/b.json',
    ])
  })
})
