import type { JsonObject } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { checkAll } from '../src/checks/check-all.ts'
import type { CheckKind, Observation, ObservedCall } from '../src/definition.ts'

const seen = (part: Partial<Observation> = {}): Observation => ({
  turns: [{ input: 'a', text: 'The answer is 42.', reason: 'model_stop' }],
  calls: [],
  approvals: [],
  tokens: { input: 1000, output: 204 },
  cost: 0.0125,
  seconds: 3.2,
  modelCalls: 2,
  stores: [],
  ...part,
})

const answering = (...texts: readonly string[]): Observation =>
  seen({ turns: texts.map((text) => ({ input: 'a', text, reason: 'model_stop' })) })

/** `request`, `agent/request`; with `!` behind it, it writes. */
const calling = (...names: readonly string[]): Observation =>
  seen({ calls: names.map((name) => call(name)) })

function call(path: string, args: ObservedCall['args'] = {}): ObservedCall {
  const agents = path.replace('!', '').split('/')
  const name = agents.pop() ?? ''
  return { id: path, name, args, agents, status: 'success', writes: path.endsWith('!') }
}

function check(kind: CheckKind, observation: Observation): readonly [string, boolean, string] {
  const [result] = checkAll([{ ...kind, line: 1 }], observation)
  if (!result) throw new Error('there is no result')
  expect(result.check).toEqual({ ...kind, line: 1 })
  return [result.label, result.passed, result.reason]
}

describe('texts', () => {
  const contains = (text: string, negated = false): CheckKind => ({
    kind: 'contains',
    text,
    negated,
  })
  const matches = (pattern: string, negated = false): CheckKind => ({
    kind: 'matches',
    pattern,
    negated,
  })

  test('contain a text exactly as it stands', () => {
    const answer = answering('The answer is 42.')
    expect(check(contains('42'), answer)).toEqual([
      'contains "42"',
      true,
      'found in "The answer is 42."',
    ])
    expect(check(contains('the  answer'), answer)).toEqual([
      'contains "the  answer"',
      false,
      'not found in "The answer is 42."',
    ])
    expect(check(contains('42', true), answer).slice(0, 2)).toEqual(['not_contains "42"', false])
    expect(check(contains('43', true), answer)[1]).toBe(true)
  })

  test('are those of the last turn, and of some turn', () => {
    expect(check(contains('a'), answering('a', 'b'))[1]).toBe(false)
    expect(check(contains('b'), answering('a', 'b'))[1]).toBe(true)
    const nothing = seen({ turns: [] })
    for (const one of [contains('a', true), matches('a', true)])
      expect(check(one, nothing).slice(1)).toEqual([false, 'no turn has ended'])
    expect(check(contains('a'), answering(' '))[2]).toBe('not found in an empty answer')
  })

  test('match a pattern', () => {
    const answer = answering('The answer is 42.')
    expect(check(matches(String.raw`\d+\.$`), answer)).toEqual([
      String.raw`matches /\d+\.$/`,
      true,
      'it fits "The answer is 42."',
    ])
    expect(check(matches('^answer'), answer)[1]).toBe(false)
    expect(check(matches('(?i)^the'), answer)[1]).toBe(true)
    expect(check(matches('^answer', true), answer).slice(0, 2)).toEqual([
      'not_matches /^answer/',
      true,
    ])
    expect(check(matches('42', true), answer)[1]).toBe(false)
    expect(check(matches('(', true), answer)[1]).toBe(false)
  })

  test('match in linear time', () => {
    expect(check(matches('^(a+)+$'), answering(`${'a'.repeat(5000)}b`))[1]).toBe(false)
  })

  test('are JSON that fits a schema', () => {
    const schema = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }
    const json: CheckKind = { kind: 'json_schema', schema }
    const fits = (text: string): unknown => check(json, answering(text)).slice(1)
    expect(check(json, answering('{"id":1}'))).toEqual(['json_schema', true, 'it fits'])
    expect(fits('Here it is:\n```json\n{"id":12345678901234567890}\n```\nBye')).toEqual([
      true,
      'it fits',
    ])
    expect(fits('{}')).toEqual([false, 'id: is required'])
    expect(fits('{"id":"1"}')).toEqual([false, 'id: must be integer'])
    expect(fits('none')).toEqual([false, 'it is no JSON: "none"'])
    expect(fits('```\n{"id":1}\n```\n```\n{"id":1}\n```')).toEqual([
      false,
      'it has 2 code blocks, and one is needed',
    ])
    expect(fits('```\nid\n```')).toEqual([
      false,
      expect.stringContaining('its code block is no JSON'),
    ])
    expect(check(json, seen({ turns: [] })).slice(1)).toEqual([false, 'no turn has ended'])
  })
})

test('schemas are of draft 2020-12, or of draft-07 where they say so', () => {
  const fits = (schema: JsonObject, text: string): unknown =>
    check({ kind: 'json_schema', schema }, answering(text))[1]
  const pairs = { items: [{ type: 'string' }] }
  const older = { $schema: 'http://json-schema.org/draft-07/schema#', ...pairs }
  expect(fits(older, '["a"]')).toBe(true)
  expect(fits(older, '[1]')).toBe(false)
  expect(fits({ prefixItems: [{ type: 'string' }] }, '[1]')).toBe(false)
  // the list that draft-07 has is no schema of 2020-12
  expect(fits(pairs, '["a"]')).toBe(false)
})

test('schemas may have formats and parts of their own, and one does not know another', () => {
  const fits = (schema: JsonObject, text: string): unknown =>
    check({ kind: 'json_schema', schema }, answering(text))[1]
  expect(fits({ format: 'date' }, '"2026-01-05"')).toBe(true)
  expect(fits({ format: 'date' }, '"today"')).toBe(false)
  const named = { $id: 'https://x.example/a', $defs: { n: { type: 'number' } }, $ref: '#/$defs/n' }
  expect(fits(named, '1')).toBe(true)
  expect(fits({ ...named }, '"1"')).toBe(false)
  expect(fits({ $ref: 'https://x.example/a' }, '1')).toBe(false)
  expect(fits({ $async: true, type: 'number' }, '"1"')).toBe(false)
})

describe('tools', () => {
  const tools = (negated: boolean, ...names: readonly string[]): CheckKind => ({
    kind: 'tools',
    tools: names,
    negated,
  })

  test('are called, by whomever', () => {
    const observed = calling('request', 'request', 'researcher/query_store')
    expect(check(tools(false, 'request', 'query_store'), observed)).toEqual([
      'tools_called: request, query_store',
      true,
      'called request (2), researcher/query_store',
    ])
    expect(check(tools(false, 'request', 'load_skill'), observed)).toEqual([
      'tools_called: request, load_skill',
      false,
      'called request (2), researcher/query_store; missing load_skill',
    ])
    expect(check(tools(false, 'query_*', 'researcher/*'), observed)[1]).toBe(true)
    expect(check(tools(false, 'researcher/request'), observed)[1]).toBe(false)
    expect(check(tools(false, 'request'), calling())[2]).toBe('called nothing; missing request')
  })

  test('of an agent within an agent are named with either', () => {
    const observed = calling('outer/inner/request')
    for (const name of ['request', 'inner/request', 'outer/inner/request', 'outer/*'])
      expect(check(tools(false, name), observed)[1], name).toBe(true)
    expect(check(tools(false, 'outer/request'), observed)[1]).toBe(false)
  })

  test('are not called', () => {
    expect(check(tools(true, 'delete_*'), calling('request'))).toEqual([
      'tools_not_called: delete_*',
      true,
      'called request',
    ])
    const denied = seen({ calls: [{ ...call('a/delete_file'), status: 'denied' }] })
    expect(check(tools(true, 'delete_*', 'x'), denied).slice(1)).toEqual([
      false,
      'called a/delete_file; not allowed delete_*',
    ])
  })

  const order = (
    mode: Extract<CheckKind, { kind: 'tool_order' }>['mode'],
    ...names: readonly string[]
  ): CheckKind => ({ kind: 'tool_order', mode, tools: names })

  test.each([
    ['exact', ['a', 'b'], ['a', 'b'], true],
    ['exact', ['a', 'b'], ['b', 'a'], false],
    ['exact', ['a'], ['a', 'a'], false],
    ['exact', ['*', 'b'], ['a', 'b'], true],
    ['in_order', ['a', 'b'], ['x', 'a', 'x', 'b', 'x'], true],
    ['in_order', ['a', 'b'], ['b', 'a'], false],
    ['in_order', ['a', 'a'], ['a'], false],
    ['any_order', ['a', 'b'], ['b', 'a'], true],
    ['any_order', ['a', 'b'], ['b', 'a', 'a'], false],
    ['any_order', ['a', 'a'], ['a', 'b'], false],
    ['any_order', ['*', 'a'], ['a', 'b'], true],
    ['any_order', ['a*', '*b', 'ab'], ['ab', 'ab', 'a'], true],
    ['exact', ['a'], ['a', 'agent/b'], true],
    ['exact', ['a'], ['agent/a'], false],
    ['exact', ['a', 'agent/b'], ['a', 'agent/b', 'agent/c'], true],
    ['in_order', ['agent/b', 'a'], ['agent/b', 'a'], true],
    ['in_order', ['agent/b', 'a'], ['a', 'agent/b'], false],
  ] as const)('%s %j of %j: %s', (mode, names, calls, passed) => {
    expect(check(order(mode, ...names), calling(...calls))[1]).toBe(passed)
  })

  test('in a wrong order are told', () => {
    expect(check(order('in_order', 'a', 'b'), calling('b', 'a'))).toEqual([
      'tool_order (in_order): a, b',
      false,
      'called b, a; b is missing after a',
    ])
    expect(check(order('exact', 'a'), calling())[2]).toBe('called nothing')
  })

  test('have arguments', () => {
    const args: CheckKind = {
      kind: 'tool_args',
      tool: 'request',
      schema: { properties: { path: { const: '/a' } }, required: ['path'] },
    }
    const observed = (...paths: readonly string[]): Observation =>
      seen({ calls: paths.map((path) => call('request', { path })) })
    expect(check(args, observed('/b', '/a'))).toEqual([
      'tool_args: request',
      true,
      'number 2 of 2 calls fits',
    ])
    expect(check(args, observed('/b')).slice(1)).toEqual([
      false,
      'none of 1 call fits; the last one: path: must be "/a"',
    ])
    expect(check(args, calling('other')).slice(1)).toEqual([false, 'called other; missing request'])
  })

  test('write', () => {
    const writes = (least: number, most?: number): CheckKind => ({
      kind: 'writes',
      least,
      ...(most !== undefined && { most }),
    })
    expect(check(writes(0, 0), calling('read'))).toEqual(['writes: none', true, '0 writes of none'])
    expect(check(writes(0, 0), calling('save!'))).toEqual([
      'writes: none',
      false,
      '1 write (called save) of none',
    ])
    expect(check(writes(2, 2), calling('a!', 'b!', 'c'))[1]).toBe(true)
    expect(check(writes(2, 2), calling('a!', 'b!', 'c!'))[1]).toBe(false)
    expect(check(writes(1), calling('c'))).toEqual([
      'writes: at least 1',
      false,
      '0 writes of at least 1',
    ])
    expect(check(writes(1), calling('a!', 'a!'))[1]).toBe(true)
    expect(check(writes(1, 3), calling('a!'))[0]).toBe('writes: 1 to 3')
    expect(check(writes(0, 3), calling('a!'))[0]).toBe('writes: at most 3')
  })

  test('are approved', () => {
    const approvals = (...names: readonly string[]): CheckKind => ({
      kind: 'approvals',
      tools: names,
    })
    const observed = seen({ approvals: ['request', 'save'] })
    expect(check(approvals('request'), observed)).toEqual([
      'approvals: request',
      true,
      'asked for request, save',
    ])
    expect(check(approvals('request', 'delete'), observed).slice(1)).toEqual([
      false,
      'asked for request, save; missing delete',
    ])
    expect(check(approvals(), observed)).toEqual([
      'approvals: none',
      false,
      'asked for request, save',
    ])
    expect(check(approvals(), seen()).slice(1)).toEqual([true, 'none asked for'])
    expect(check(approvals('a'), seen()).slice(1)).toEqual([false, 'none asked for; missing a'])
  })
})

describe('limits', () => {
  test.each([
    ['tokens', 1204, true, '1,204 of at most 1,204'],
    ['tokens', 1203, false, '1,204 of at most 1,203'],
    ['cost', 0.0125, true, '$0.0125 of at most $0.0125'],
    ['cost', 0.01, false, '$0.0125 of at most $0.01'],
    ['seconds', 4, true, '3.2 s of at most 4 s'],
    ['seconds', 3, false, '3.2 s of at most 3 s'],
    ['tool_calls', 2, true, '2 of at most 2'],
    ['tool_calls', 1, false, '2 of at most 1'],
    ['model_calls', 2, true, '2 of at most 2'],
    ['model_calls', 1, false, '2 of at most 1'],
  ] as const)('max_%s: %d', (measure, limit, passed, reason) => {
    expect(check({ kind: 'at_most', measure, limit }, calling('a', 'agent/b'))).toEqual([
      `max_${measure}: ${limit}`,
      passed,
      reason,
    ])
  })

  test('of a cost that nobody knows are not met', () => {
    const { cost: _, ...unpriced } = seen()
    expect(check({ kind: 'at_most', measure: 'cost', limit: 100 }, unpriced).slice(1)).toEqual([
      false,
      'the price of a model is not known',
    ])
  })
})

test('the end is the one of the last turn', () => {
  const ends: CheckKind = { kind: 'ends', reason: 'max_turns' }
  const turn = { input: 'a', text: '', reason: 'max_turns' }
  expect(check(ends, seen({ turns: [turn] }))).toEqual([
    'ends: max_turns',
    true,
    'it ended with max_turns',
  ])
  expect(check(ends, seen({ turns: [turn, { ...turn, reason: 'error' }] })).slice(1)).toEqual([
    false,
    'it ended with error',
  ])
  expect(check(ends, seen({ turns: [] })).slice(1)).toEqual([false, 'no turn has ended'])
})

describe('stores', () => {
  const store = (part: Partial<Extract<CheckKind, { kind: 'store' }>> = {}): CheckKind => ({
    kind: 'store',
    store: 'alerts',
    filters: [],
    ...part,
  })
  const holding = (...stores: Observation['stores']): Observation => seen({ stores })

  test('hold so many documents', () => {
    expect(check(store({ count: 2 }), holding([{}, {}]))).toEqual([
      'store: alerts, 2',
      true,
      '2 documents',
    ])
    expect(check(store({ count: 2 }), holding([{}])).slice(1)).toEqual([
      false,
      '1 document, and 2 must be there',
    ])
    expect(check(store({ count: 0 }), holding([]))[1]).toBe(true)
    expect(check(store(), holding([])).slice(1)).toEqual([
      false,
      '0 documents, and at least 1 is needed',
    ])
    expect(check(store(), holding([{}]))[1]).toBe(true)
    expect(check(store({ count: 0 }), holding()).slice(1)).toEqual([
      false,
      'the store was not read',
    ])
  })

  test('hold documents that fit', () => {
    const fits = store({
      filters: [{ field: 'open', op: 'eq', value: true }],
      schema: { required: ['id'] },
    })
    expect(check(fits, holding([{ id: 1 }]))).toEqual([
      'store: alerts where open = true',
      true,
      '1 document',
    ])
    expect(check(fits, holding([{ id: 1 }, {}])).slice(1)).toEqual([
      false,
      'document 2: id: is required',
    ])
  })

  test('are read in the order of their checks', () => {
    const results = checkAll(
      [
        { ...store({ count: 1 }), line: 1 },
        { kind: 'ends', reason: 'model_stop', line: 2 },
        { ...store({ count: 2 }), line: 3 },
      ],
      holding([{}], [{}, {}]),
    )
    expect(results.map(({ passed, check: { line } }) => [line, passed])).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ])
  })
})

test('labels are short and in one line', () => {
  const text = `a\n${'b'.repeat(200)}`
  const [label] = check({ kind: 'contains', text, negated: false }, seen())
  expect(label.length).toBeLessThan(100)
  expect(label).toMatch(/^contains "a b+…"$/)
})
