import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { read, readYamlSuite } from './support.ts'

const spec = (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, '../../../tests/fixtures/spec', name), 'utf8')

describe('the examples of the specification', () => {
  test('Markdown has one case', async () => {
    const { suites, problems, bundle } = read({ 'revenue-drop.md': await spec('evals/01.md') })
    expect(problems).toEqual([])
    expect(suites).toMatchObject([
      {
        name: 'revenue-drop',
        title: 'Revenue Drop Investigation',
        description: "Tests the agent's ability to investigate a revenue anomaly.",
        file: 'evals/revenue-drop.md',
      },
    ])
    expect(suites[0]?.cases).toEqual([
      {
        name: 'revenue-drop',
        turns: [
          { input: 'Revenue was down 30% yesterday. What happened?', answers: [], checks: [] },
        ],
        setup: {
          context: 'Revenue dropped 30% yesterday compared to the weekly average.',
          stores: {},
        },
        stubs: {},
        checks: [],
        rubric: [
          ['Should query Stripe charges for the relevant time period', false, 15],
          ['Should compare against baseline or previous period', false, 16],
          [
            'Should check for known issues (billing cycle, deployments, timezone effects)',
            false,
            17,
          ],
          ['Should provide specific numbers (dollar amounts, percentages)', false, 18],
          ['Should NOT fabricate data or guess without querying', true, 19],
          ['Should NOT blame external factors without evidence', true, 20],
        ].map(([text, negated, line]) => ({ text, negated, line })),
        approvals: 'grant',
        tags: [],
        line: 1,
      },
    ])
    expect(JSON.parse(JSON.stringify(bundle.parts['evals']))).toEqual(bundle.parts['evals'])
  })

  test('YAML has several', async () => {
    const { suites, problems } = read({ 'triage-accuracy.yaml': await spec('cli-eval/02.yaml') })
    expect(problems).toEqual([])
    expect(suites).toMatchObject([
      {
        name: 'triage-accuracy',
        title: 'triage-accuracy',
        description: 'Test alert triage quality',
        cases: [
          {
            name: 'case-1',
            turns: [{ input: 'Review recent security alerts' }],
            rubric: [
              { text: 'Correctly identifies critical alerts', line: 6 },
              { text: 'Filters known false positives', line: 7 },
              { text: 'Provides severity ranking', line: 8 },
            ],
            checks: [{ kind: 'tools', tools: ['request', 'query_store'], negated: false, line: 9 }],
            line: 4,
          },
        ],
      },
    ])
  })
})

describe('files', () => {
  const one = 'cases: [{ input: Hi, rubric: [Greets] }]'

  test('are found at any depth, and README.md and others are none', () => {
    const { suites, problems } = read({
      'b.yml': one,
      'deep/er/c.yaml': one,
      'README.md': '# Evals',
      'deep/readme.md': 'x',
      'notes.txt': 'x',
    })
    expect(problems).toEqual([])
    expect(suites.map(({ name }) => name)).toEqual(['b', 'deep/er/c'])
  })

  test('without any, the bundle stays as it is', () => {
    const { bundle } = read({ 'README.md': '# Evals' })
    expect(bundle.parts).toEqual({})
  })

  test('of one name are told, and the first counts', () => {
    const { suites, problems } = read({ 'x.yaml': one, 'x.yml': one })
    expect(problems).toEqual([
      'error evals/x.yml:1 the suite "x" is there as evals/x.yaml, which counts',
    ])
    expect(suites.map(({ file }) => file)).toEqual(['evals/x.yaml'])
  })

  test('that cannot be read take no other with them', () => {
    const { suites, problems } = read({
      'bad.yaml': 'cases:\n  - input: a: b\n',
      'good.yaml': one,
      'empty.yaml': '',
      'list.yaml': '- a',
      'none.yaml': 'name: x',
      'zero.yaml': 'name: x\ncases: []',
    })
    expect(problems).toEqual([
      'error evals/bad.yaml:2 this is no valid YAML: Nested mappings are not allowed in compact mappings',
      'error evals/empty.yaml:1 this is nothing, and an object is needed',
      'error evals/list.yaml:1 this is a list, and an object is needed',
      'error evals/none.yaml:1 the file has no `cases`',
      'error evals/zero.yaml:2 `cases` is empty',
    ])
    expect(suites.map(({ name }) => name)).toEqual(['good'])
  })

  test('have a hash of their text and of their datasets', () => {
    const hashOf = (text: string, rows: string): string | undefined =>
      read({ 'a.yaml': text, 'q.jsonl': rows }).suites[0]?.hash
    const text = 'dataset: q.jsonl\ncases: [{ input: "{{q}}", rubric: [x] }]'
    const hash = hashOf(text, '{"q":"1"}')
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(hashOf(text, '{"q":"1"}')).toBe(hash)
    expect(hashOf(text, '{"q":"2"}')).not.toBe(hash)
    expect(hashOf(`${text}\n`, '{"q":"1"}')).not.toBe(hash)
  })
})

describe('YAML', () => {
  test('has every field of a case, in snake case and in camel case', () => {
    const { cases, problems } = readYamlSuite(
      'title: Triage',
      'tags: [daily]',
      'cases:',
      '  - name: first',
      '    turns:',
      '      - Hello',
      '      - input: Close it',
      '        answers: [{ q1: yes please }]',
      '        assert: [{ contains: closed }]',
      '        rubric: [Should not ask twice]',
      '    setup:',
      '      context: It is Monday.',
      '      stores: { alerts: [{ id: 12345678901234567890, ok: true }] }',
      '      state: { step: 1 }',
      '      clock: 2026-03-26T09:14:00Z',
      '      roles: [clerk]',
      '    expectedTools: request',
      '    assert:',
      '      - maxTokens: 2000',
      '    approvals: refuse',
      '    tags: [slow, daily]',
    )
    expect(problems).toEqual([])
    expect(cases[0]).toEqual({
      name: 'first',
      turns: [
        { input: 'Hello', answers: [], checks: [] },
        {
          input: 'Close it',
          answers: [{ q1: 'yes please' }],
          checks: [{ kind: 'contains', text: 'closed', negated: false, line: 9 }],
        },
      ],
      setup: {
        context: 'It is Monday.',
        stores: { alerts: [expect.objectContaining({ ok: true })] },
        state: { step: 1 },
        clock: '2026-03-26T09:14:00Z',
        roles: ['clerk'],
      },
      stubs: {},
      checks: [
        { kind: 'tools', tools: ['request'], negated: false, line: 17 },
        { kind: 'at_most', measure: 'tokens', limit: 2000, line: 19 },
      ],
      rubric: [{ text: 'Should not ask twice', negated: true, turn: 1, line: 10 }],
      approvals: 'refuse',
      tags: ['daily', 'slow'],
      line: 4,
    })
    expect(JSON.stringify(cases)).toContain('"id":12345678901234567890,')
  })

  test('has defaults of its suite: checks and tags are added, all else is replaced', () => {
    const { cases, problems } = readYamlSuite(
      'setup: { context: Monday, clock: 2026-01-01, stores: { a: [{ n: 1 }], b: [] } }',
      'tools: { request: real, other: { result: 1 } }',
      'assert: [max_tokens: 5]',
      'approvals: refuse',
      'tags: [x]',
      'cases:',
      '  - input: one',
      '  - input: two',
      '    setup: { context: Tuesday, stores: { b: [{ n: 2 }] } }',
      '    tools: { request: { error: down } }',
      '    assert: [max_seconds: 1.5]',
      '    approvals: grant',
      '    tags: [y]',
    )
    expect(problems).toEqual([])
    expect(cases).toMatchObject([
      {
        setup: { context: 'Monday', stores: { a: [{ n: 1 }], b: [] } },
        approvals: 'refuse',
        tags: ['x'],
      },
      {
        setup: {
          context: 'Tuesday',
          clock: '2026-01-01',
          stores: { a: [{ n: 1 }], b: [{ n: 2 }] },
        },
        stubs: { request: { answers: [{ outcome: { kind: 'error' } }] }, other: {} },
        approvals: 'grant',
        tags: ['x', 'y'],
      },
    ])
    expect(cases.map(({ checks }) => checks.map(({ kind, line }) => [kind, line]))).toEqual([
      [['at_most', 3]],
      [
        ['at_most', 3],
        ['at_most', 11],
      ],
    ])
  })

  test('is told where names, values and cases are wrong; the other cases are read', () => {
    const { cases, problems } = readYamlSuite(
      'descripton: x',
      'approvals: null',
      'cases:',
      '  - input: good',
      '    rubric: [x]',
      '    rubrics: [y]',
      '  - input: "  "',
      '    rubric: [x]',
      '  - rubric: [x]',
      '  - input: a',
      '    turns: [b]',
      '    rubric: [x]',
      '  - input: a',
      '    rubric: [{ Should mention: it }]',
      '  - input: nothing is checked',
      '  - input: a',
      '    rubric: [x]',
      '    aprovals: refuse',
      '  - just a text',
      '  - input: 42.50',
      '    rubric: [x]',
      '  - turns: [{ answers: [] }]',
      '    rubric: x',
      '  - input: a',
      '    approvals: grnt',
      '    maxTokens: 1',
      '    setup: { clock: noon, stores: { s: [1] }, roles: 1 }',
      '  - turns: []',
      '    expected_tools: []',
    )
    expect(problems).toEqual([
      'warning evals/a.yaml:1 `descripton` is not a known field; did you mean `description`?',
      'warning evals/a.yaml:6 `rubrics` is not a known field; did you mean `rubric`?',
      'error evals/a.yaml:7 `input` is empty',
      'error evals/a.yaml:9 the case has no `input`',
      'error evals/a.yaml:11 the case has `input` and `turns`',
      'error evals/a.yaml:14 `rubric[0]` is an object, and a text is needed',
      'warning evals/a.yaml:15 nothing is checked in this case',
      'error evals/a.yaml:18 `aprovals` is not a known field; did you mean `approvals`?',
      'error evals/a.yaml:19 this is a text, and an object is needed',
      'error evals/a.yaml:20 `input` is a number, and a text is needed',
      'error evals/a.yaml:22 the turn has no `input`',
      'error evals/a.yaml:25 `approvals` cannot be "grnt"; did you mean "grant"?',
      'warning evals/a.yaml:26 `maxTokens` is not a known field',
      'error evals/a.yaml:27 "noon" is no time',
      'error evals/a.yaml:27 `roles` is a number, and a text is needed',
      'error evals/a.yaml:27 `s[0]` is a number, and an object is needed',
      'error evals/a.yaml:28 `turns` is empty',
      'error evals/a.yaml:29 `expected_tools` is empty',
    ])
    expect(cases.map(({ name }) => name)).toEqual(['case-1', 'case-6'])
  })

  test('tells a fault of the suite once, and runs no case without its protection', () => {
    const { cases, problems } = readYamlSuite(
      'assert: [max_token: 5]',
      'cases: [{ input: a }, { input: b }]',
    )
    expect(problems).toEqual([
      'error evals/a.yaml:1 there is no check `max_token`; did you mean `max_tokens`?',
    ])
    expect(cases).toEqual([])
    expect(readYamlSuite('aproval: refuse', 'cases: [{ input: a, rubric: [x] }]').cases).toEqual([])
  })

  test('of two cases with one name, the second is left out', () => {
    const { cases, problems } = readYamlSuite(
      'cases:',
      '  - { input: a, rubric: [x], name: one }',
      '  - { input: b, rubric: [x] }',
      '  - { input: c, rubric: [x], name: one }',
    )
    expect(problems).toEqual(['error evals/a.yaml:4 two cases are named "one": in line 2 and 4'])
    expect(cases.map(({ name }) => name)).toEqual(['one', 'case-2'])
  })

  test('follows anchors, and tells of what is no JSON', () => {
    const { cases, problems } = readYamlSuite(
      'setup: &s { context: x }',
      'cases:',
      '  - input: a',
      '    rubric: &r [x]',
      '    setup: { <<: *s, clock: 2026-01-01 }',
      '  - input: b',
      '    input: c',
      '    rubric: *r',
    )
    expect(problems).toEqual([
      'warning evals/a.yaml:7 "input" is written twice; the later one counts',
    ])
    expect(cases).toMatchObject([
      { setup: { context: 'x', clock: '2026-01-01' } },
      { turns: [{ input: 'c' }], rubric: [{ text: 'x' }] },
    ])
    const problemsOf = (...lines: readonly string[]): readonly string[] =>
      readYamlSuite(...lines).problems
    const head = 'error evals/a.yaml:2 this is no valid YAML:'
    expect(problemsOf('cases:', ' - x: .inf')).toEqual([`${head} .inf is no number of JSON`])
    expect(problemsOf('cases:', ' - x: *y')).toEqual([`${head} there is no &y before it`])
    expect(problemsOf('cases:', ' - &y [*y]')).toEqual([`${head} *y refers to itself`])
    expect(problemsOf('cases: []', '---', 'cases: []')).toEqual([
      `${head} a second document begins here`,
    ])
    expect(problemsOf('cases:', `  - ${'['.repeat(150)}${']'.repeat(150)}`)).toEqual([
      `${head} it is nested too deeply`,
    ])
  })

  test('may have a mark of its encoding and the line ends of Windows', () => {
    const text =
      '\uFEFFcases:\r\n  - input: |\r\n      a\r\n      b\r\n    rubric: [x]\r\n    tag: y\r\n'
    const { cases, problems } = read({ 'a.yaml': text })
    expect(cases[0]?.turns[0]?.input).toBe('a\nb')
    expect(problems).toEqual([
      'warning evals/a.yaml:6 `tag` is not a known field; did you mean `tags`?',
    ])
  })
})
