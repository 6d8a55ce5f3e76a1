import { expect, test } from 'vitest'
import type { Check, Stub } from '../src/definition.ts'
import { readYamlSuite } from './support.ts'

const checksOf = (...lines: readonly string[]): readonly Omit<Check, 'line'>[] => {
  const read = readYamlSuite(
    'cases:',
    '  - input: a',
    '    assert:',
    ...lines.map((line) => `      ${line}`),
  )
  expect(read.problems).toEqual([])
  return (read.cases[0]?.checks ?? []).map(({ line: _, ...check }) => check)
}

test.each([
  ['contains: a', [{ kind: 'contains', text: 'a', negated: false }]],
  [
    'contains: [a, " b"]',
    [
      { kind: 'contains', text: 'a', negated: false },
      { kind: 'contains', text: ' b', negated: false },
    ],
  ],
  ['not_contains: a', [{ kind: 'contains', text: 'a', negated: true }]],
  ['matches: "^a+$"', [{ kind: 'matches', pattern: '^a+$', negated: false }]],
  ['notMatches: b', [{ kind: 'matches', pattern: 'b', negated: true }]],
  [
    'json_schema: { type: object, required: [maxTokens] }',
    [{ kind: 'json_schema', schema: { type: 'object', required: ['maxTokens'] } }],
  ],
  ['tools_called: request', [{ kind: 'tools', tools: ['request'], negated: false }]],
  ['tools_not_called: [a, b*]', [{ kind: 'tools', tools: ['a', 'b*'], negated: true }]],
  ['tool_order: [a, b]', [{ kind: 'tool_order', mode: 'in_order', tools: ['a', 'b'] }]],
  ['tool_order: { tools: a }', [{ kind: 'tool_order', mode: 'in_order', tools: ['a'] }]],
  [
    'tool_order: { mode: any_order, tools: [a] }',
    [{ kind: 'tool_order', mode: 'any_order', tools: ['a'] }],
  ],
  [
    'tool_args: { tool: a, schema: { required: [id] } }',
    [{ kind: 'tool_args', tool: 'a', schema: { required: ['id'] } }],
  ],
  ['writes: none', [{ kind: 'writes', least: 0, most: 0 }]],
  ['writes: 2', [{ kind: 'writes', least: 2, most: 2 }]],
  ['writes: { min: 1 }', [{ kind: 'writes', least: 1 }]],
  ['writes: { min: null, max: 3 }', [{ kind: 'writes', least: 0, most: 3 }]],
  ['approvals: none', [{ kind: 'approvals', tools: [] }]],
  ['approvals: []', [{ kind: 'approvals', tools: [] }]],
  ['approvals: [request]', [{ kind: 'approvals', tools: ['request'] }]],
  ['max_tokens: 2000', [{ kind: 'at_most', measure: 'tokens', limit: 2000 }]],
  ['max_cost: 0.05', [{ kind: 'at_most', measure: 'cost', limit: 0.05 }]],
  ['maxSeconds: 1.5', [{ kind: 'at_most', measure: 'seconds', limit: 1.5 }]],
  ['max_tool_calls: 0', [{ kind: 'at_most', measure: 'tool_calls', limit: 0 }]],
  ['max_model_calls: "3"', [{ kind: 'at_most', measure: 'model_calls', limit: 3 }]],
  ['ends: model_stop', [{ kind: 'ends', reason: 'model_stop' }]],
  ['store: { name: a }', [{ kind: 'store', store: 'a', filters: [] }]],
  [
    'store: { name: a, filter: { owner.name: Bo, open: true }, count: 0, schema: {} }',
    [
      {
        kind: 'store',
        store: 'a',
        filters: [
          { field: 'owner.name', op: 'eq', value: 'Bo' },
          { field: 'open', op: 'eq', value: true },
        ],
        count: 0,
        schema: {},
      },
    ],
  ],
  ['max_tokens: null', []],
])('%s', (line, checks) => {
  expect(checksOf('- max_cost: 9', `- ${line}`).slice(1)).toEqual(checks)
})

test.each([
  ['contans: a', 'there is no check `contans`; did you mean `contains`?'],
  ['is_polite: yes', 'there is no check `is_polite`'],
  ['Should be polite', 'this is a text, and a check is a name with a value'],
  ['{}', 'the check is empty'],
  ['{ contains: a, matches: b }', 'this check has several names'],
  ['contains: 42', '`contains` is a number, and a text is needed'],
  ['contains: [a, ""]', '`contains[1]` is empty'],
  ['contains: []', '`contains` is empty'],
  ['matches: "("', 'this is no regular expression: '],
  ['matches: "(?=a)"', 'this is no regular expression: '],
  ['json_schema: { type: nothing }', 'this is no JSON Schema: '],
  ['json_schema: { pattern: "(" }', 'this is no JSON Schema: '],
  ['json_schema: text', '`json_schema` is a text, and an object is needed'],
  [
    'tool_order: { mode: exactly, tools: [a] }',
    '`mode` cannot be "exactly"; did you mean "exact"?',
  ],
  ['tool_order: { mode: exact }', '`tools` is missing'],
  ['tool_args: { schema: {} }', '`tool` is missing'],
  ['tool_args: { tool: a }', '`schema` is missing'],
  ['writes: some', '`writes` is a text, and a number is needed'],
  ['writes: 1.5', '`writes` is a fraction'],
  ['writes: {}', '`writes` has no limit'],
  ['writes: { min: 3, max: 2 }', '`min` (3) is more than `max` (2)'],
  ['max_tokens: -1', '`max_tokens` is below 0'],
  ['max_tokens: 1.5', '`max_tokens` is a fraction'],
  ['max_cost: cheap', '`max_cost` is a text, and a number is needed'],
  ['ends: model_stopp', '`ends` cannot be "model_stopp"; did you mean "model_stop"?'],
  ['store: { count: 1 }', '`name` is missing'],
  ['store: { name: a, count: many }', '`count` is a text, and a number is needed'],
  ['store: { name: a, filter: x }', '`filter` is a text, and an object is needed'],
  ['store: { name: a, schema: { type: 1 } }', 'this is no JSON Schema: '],
])('%s is told with its line, and takes its case alone with it', (line, message) => {
  const { problems, cases } = readYamlSuite(
    'cases:',
    '  - input: a',
    '    assert:',
    '      - contains: b',
    `      - ${line}`,
    '  - input: c',
    '    rubric: [x]',
  )
  expect(problems).toEqual([expect.stringContaining(`error evals/a.yaml:5 ${message}`)])
  expect(cases.map(({ name }) => name)).toEqual(['case-2'])
})

const stubsOf = (stub: string): readonly [Stub | undefined, readonly string[]] => {
  const { cases, problems } = readYamlSuite(
    'cases:',
    '  - input: a',
    '    rubric: [x]',
    `    tools: { request: ${stub} }`,
  )
  return [cases[0]?.stubs['request'], problems]
}

const answer = (output: unknown, repeats = false, delayMs = 0): unknown => ({
  outcome: { kind: 'result', output },
  delayMs,
  repeats,
})

test.each([
  ['real', { kind: 'real' }],
  ['{ result: { maxTokens: 1 } }', { kind: 'answers', answers: [answer({ maxTokens: 1 }, true)] }],
  ['{ result: null }', { kind: 'answers', answers: [answer(null, true)] }],
  ['{ result: a, repeat: false }', { kind: 'answers', answers: [answer('a')] }],
  [
    '[{ result: a }, { result: b, delayMs: 50, repeat: true }]',
    { kind: 'answers', answers: [answer('a'), answer('b', true, 50)] },
  ],
  [
    '[{ match: { path: /a }, error: down, code: HTTP_503 }]',
    {
      kind: 'answers',
      answers: [
        {
          match: { path: '/a' },
          outcome: { kind: 'error', message: 'down', code: 'HTTP_503' },
          delayMs: 0,
          repeats: false,
        },
      ],
    },
  ],
  ['null', undefined],
])('the stub %s', (stub, read) => {
  expect(stubsOf(stub)).toEqual([read, []])
})

test.each([
  ['reel', 'error', '`request` cannot be "reel"'],
  ['[]', 'error', '`request` is empty'],
  ['[real]', 'error', '`request[0]` is a text, and an object is needed'],
  ['{ match: { a: 1 } }', 'error', '`request` has no result'],
  ['{ result: 1, error: a }', 'error', '`request` has a result and an error'],
  ['{ error: 503 }', 'error', '`error` is a number, and a text is needed'],
  ['{ error: a, code: 503 }', 'error', '`code` is a number, and a text is needed'],
  ['{ result: 1, match: a }', 'error', '`match` is a text, and an object is needed'],
  ['{ result: 1, delay_ms: -1 }', 'error', '`delay_ms` is below 0'],
  ['{ result: 1, repeat: often }', 'error', '`repeat` is a text, and true or false is needed'],
  ['{ result: 1, repeats: true }', 'warning', '`repeats` is not a known field'],
  ['{ result: 1, code: a }', 'warning', '`code` belongs to an error, and this is a result'],
])('the stub %s is told with its line', (stub, severity, message) => {
  const [read, problems] = stubsOf(stub)
  expect(problems).toEqual([expect.stringContaining(`${severity} evals/a.yaml:4 ${message}`)])
  expect(read === undefined).toBe(severity === 'error')
})
