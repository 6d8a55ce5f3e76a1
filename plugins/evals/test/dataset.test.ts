import { describe, expect, test } from 'vitest'
import { read, type Read } from './support.ts'

const suite = (...cases: readonly string[]): string =>
  ['dataset: q.jsonl', 'cases:', ...cases].join('\n')
const ASKS = ['  - input: "{{question}}"', '    assert: [contains: "{{answer}}"]']
const inputs = ({ cases }: Read): unknown => cases.map(({ name, turns }) => [name, turns[0]?.input])

describe('a dataset', () => {
  test('makes a case for each row where a text takes a field', () => {
    const result = read({
      'a.yaml': suite(...ASKS, '  - input: as it stands', '    rubric: [x]'),
      'q.jsonl':
        '\uFEFF{"question":"1+1?","answer":2}\r\n\n{"name":"big","question":"?","answer":12345678901234567890}\n',
    })
    expect(result.problems).toEqual([])
    expect(inputs(result)).toEqual([
      ['case-1[1]', '1+1?'],
      ['case-1[big]', '?'],
      ['case-2', 'as it stands'],
    ])
    expect(result.cases.slice(0, 2).map(({ checks }) => checks)).toMatchObject([
      [{ text: '2', line: 4 }],
      [{ text: '12345678901234567890' }],
    ])
  })

  test('fills texts everywhere; a place alone in data becomes the value', () => {
    const { cases, problems } = read({
      'a.yaml': suite(
        '  - name: "of {{ id }}"',
        '    turns: [{ input: "{{id}}", answers: [{ a: "{{doc}}" }] }]',
        '    rubric: ["Should name {{id}}"]',
        '    setup: { context: "{{doc}}", stores: { s: ["{{doc}}"] }, state: { id: "{{id}}" } }',
        '    tools: { request: [{ match: { id: "{{id}}" }, result: ["{{doc}}", "no {{id}}"] }] }',
        '    assert: [max_tokens: "{{limit}}", json_schema: { const: "{{id}}" }]',
      ),
      'q.jsonl': '{"id":7,"doc":{"x":"{{id}}"},"limit":50}',
    })
    expect(problems).toEqual([])
    expect(cases).toMatchObject([
      {
        name: 'of 7',
        turns: [{ input: '7', answers: [{ a: { x: '{{id}}' } }] }],
        rubric: [{ text: 'Should name 7' }],
        setup: { context: '{"x":"{{id}}"}', stores: { s: [{ x: '{{id}}' }] }, state: { id: 7 } },
        stubs: {
          request: {
            answers: [{ match: { id: 7 }, outcome: { output: [{ x: '{{id}}' }, 'no 7'] } }],
          },
        },
        checks: [{ limit: 50 }, { schema: { const: 7 } }],
      },
    ])
  })

  test('has values for schemas, and leaves what a row does not change as it is', () => {
    const { cases, problems } = read({
      'a.yaml': suite(
        '  - input: "{{q}}"',
        '    assert: [json_schema: { type: object }, tool_args: { tool: a, schema: { const: "{{q}}" } }]',
      ),
      'q.jsonl': '{"q":1}\n{"q":"{{q}}"}',
    })
    expect(problems).toEqual([])
    expect(cases.map(({ checks }) => checks)).toMatchObject([
      [{ schema: { type: 'object' } }, { schema: { const: 1 } }],
      [{ schema: { type: 'object' } }, { schema: { const: '{{q}}' } }],
    ])
  })

  test('may belong to one case, be CSV, and stand in a folder below', () => {
    const result = read({
      'deep/a.yaml': [
        'assert: [contains: "{{answer}}"]',
        'cases:',
        '  - input: "{{question}}"',
        '    dataset: rows/q.csv',
      ].join('\n'),
      'deep/rows/q.csv': '\uFEFFquestion, answer\r\n"1,\r\n""x""",2\r\n\r\na "b",c\r\n',
    })
    expect(result.problems).toEqual([])
    expect(inputs(result)).toEqual([
      ['case-1[1]', '1,\n"x"'],
      ['case-1[2]', 'a "b"'],
    ])
    expect(result.cases[1]?.checks).toMatchObject([{ text: 'c' }])
  })

  test('of CSV may be separated as Excel does it', () => {
    const result = read({
      'a.yaml': 'cases: [{ input: "{{q}}", dataset: q.csv, assert: [max_cost: "{{limit}}"] }]',
      'q.csv': 'q;limit\n"1,5";2.5\n',
    })
    expect(result.problems).toEqual([])
    expect(result.cases).toMatchObject([{ turns: [{ input: '1,5' }], checks: [{ limit: 2.5 }] }])
  })

  test('that has not the field is told with the lines of its rows; the other rows are cases', () => {
    const result = read({
      'a.yaml': suite(...ASKS),
      'q.jsonl': [
        '{"question":"a","answer":"1"}',
        '',
        '{"question":"b"}',
        '{"question":"c","answer":null}',
      ].join('\n'),
    })
    expect(result.problems).toEqual([
      'error evals/q.jsonl:3 the row has no "answer", which the case in line 3 of evals/a.yaml needs',
      'error evals/q.jsonl:4 the row has no "answer", which the case in line 3 of evals/a.yaml needs',
    ])
    expect(inputs(result)).toEqual([['case-1[1]', 'a']])
  })

  test('whose fields no row has is told once, at the case', () => {
    const { problems, bundle } = read({
      'a.yaml': suite(...ASKS),
      'q.jsonl': '{"question":"a","answr":"1"}\n{"question":"b","answr":"1"}\n',
    })
    expect(problems).toEqual(['error evals/a.yaml:3 no row of evals/q.jsonl has a field "answer"'])
    expect(bundle.issues[0]?.fix).toBe('did you mean {{answr}}?')
  })

  test('does not multiply what is wrong with a case, and names the row of what it brings', () => {
    const { problems, cases } = read({
      'a.yaml': suite('  - input: "{{q}}"', '    rubic: [x]', '    assert: [matches: "{{p}}"]'),
      'q.jsonl': '{"q":"a","p":"x"}\n{"q":"b","p":"("}\n{"q":"c","p":"y"}',
    })
    expect(problems).toEqual([
      'warning evals/a.yaml:4 `rubic` is not a known field; did you mean `rubric`?',
      expect.stringMatching(
        /^error evals\/a.yaml:5 this is no regular expression: .* \(with line 2 of evals\/q.jsonl\)$/,
      ),
    ])
    expect(cases.map(({ name }) => name)).toEqual(['case-1[1]', 'case-1[3]'])
  })

  test('has rows that cannot be read, and others that can', () => {
    const result = read({
      'a.yaml': suite(...ASKS),
      'q.jsonl': '{"question":"a","answer":"1"}\n[1]\n{"question":\n{"question":"b","answer":"1"}',
    })
    expect(result.problems).toEqual([
      'error evals/q.jsonl:2 this row is no object',
      expect.stringMatching(/^error evals\/q.jsonl:3 this row is no JSON: /),
    ])
    expect(inputs(result)).toEqual([
      ['case-1[1]', 'a'],
      ['case-1[4]', 'b'],
    ])
  })

  test('has rows of one name: the second is left out', () => {
    const result = read({
      'a.yaml': suite(...ASKS),
      'q.jsonl':
        '{"name":"x","question":"a","answer":"1"}\n{"name":"x","question":"b","answer":"1"}',
    })
    expect(result.problems).toEqual([
      'error evals/q.jsonl:2 two rows are named "x": in line 1 and 2',
    ])
    expect(inputs(result)).toEqual([['case-1[x]', 'a']])
  })

  test.each([
    ['../q.jsonl', 'error evals/s/a.yaml:1 "../q.jsonl" is not below evals/s/'],
    ['/etc/q.csv', 'error evals/s/a.yaml:1 "/etc/q.csv" is not below evals/s/'],
    ['q.txt', 'error evals/s/a.yaml:1 "q.txt" is no dataset'],
    ['none.csv', 'error evals/s/a.yaml:1 there is no text file evals/s/none.csv'],
    ['empty.csv', 'error evals/s/a.yaml:1 evals/s/empty.csv has no rows'],
    ['twice.csv', 'error evals/s/twice.csv:1 the column "q" is there twice'],
    ['open.csv', 'error evals/s/open.csv:3 this is no CSV: Quote Not Closed'],
  ])('%s cannot be used', (name, problem) => {
    const { problems, suites } = read({
      's/a.yaml': `dataset: ${name}\ncases: [{ input: "{{q}}", rubric: [x] }]`,
      'q.jsonl': '{"q":"a"}',
      's/q.txt': '{"q":"a"}',
      's/empty.csv': 'q\n',
      's/twice.csv': 'q,q\na,b\n',
      's/open.csv': 'q\na\n"b\n',
    })
    expect(problems).toEqual([expect.stringContaining(problem)])
    expect(suites).toEqual([])
  })

  test('tells of rows with too many fields, and of one that nothing takes a field of', () => {
    expect(
      read({
        'a.yaml': 'dataset: q.csv\ncases: [{ input: "{{q}}", rubric: [x] }]',
        'q.csv': 'q\n"a\nb"\na,b\n',
      }).problems,
    ).toEqual(['warning evals/q.csv:4 this row has 2 fields, and 1 names'])
    expect(
      read({
        'a.yaml': 'dataset: q.csv\ncases: [{ input: q, rubric: [x] }]',
        'q.csv': 'q\na\n',
      }).problems,
    ).toEqual(['warning evals/a.yaml:1 no text of a case takes a field of the dataset'])
  })
})
