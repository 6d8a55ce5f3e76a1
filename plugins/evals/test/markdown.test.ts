import { describe, expect, test } from 'vitest'
import { read, readMarkdownCase } from './support.ts'

const HEAD = ['# Eval: A', '', '## Query', 'Hi']

describe('Markdown', () => {
  test('has blocks of YAML, and checks among its assertions', () => {
    const { cases, suites, problems } = readMarkdownCase(
      '# Eval: A',
      'One line,',
      'and another.',
      '## Setup',
      'Context: It is Monday,',
      'in the morning.',
      '',
      '```yaml',
      'clock: 2026-01-05',
      'stores:',
      '  alerts: [{ id: 1 }]',
      '```',
      '## Tools',
      '~~~yml',
      'tools:',
      '  request: { result: [] }',
      '~~~',
      '## Query',
      'Hi',
      '## Assertions',
      '- max_tokens: 2000',
      '- contains: "42"',
      '- toolOrder:',
      '    mode: exact',
      '    tools: [a, b]',
      '- {writes: none}',
      '- Note: should be polite',
      '- Should greet',
    )
    expect(problems).toEqual([])
    expect(suites[0]?.description).toBe('One line,\nand another.')
    expect(cases).toMatchObject([
      {
        setup: {
          context: 'It is Monday, in the morning.',
          clock: '2026-01-05',
          stores: { alerts: [{ id: 1 }] },
        },
        stubs: { request: { kind: 'answers' } },
        checks: [
          { kind: 'at_most', measure: 'tokens', limit: 2000, line: 21 },
          { kind: 'contains', text: '42', line: 22 },
          { kind: 'tool_order', mode: 'exact', tools: ['a', 'b'], line: 23 },
          { kind: 'writes', least: 0, most: 0, line: 26 },
        ],
        rubric: [
          { text: 'Note: should be polite', line: 27 },
          { text: 'Should greet', line: 28 },
        ],
      },
    ])
  })

  test('has a turn for each query; the last assertions are about the case', () => {
    const { cases, problems } = readMarkdownCase(
      '# Eval: A',
      '## Query',
      'First',
      '## Assertions',
      '- contains: one',
      '- Should answer',
      '## Query 2',
      'Second',
      '## Query',
      'Third',
      '## Assertions',
      '- contains: three',
      '- Should NOT repeat itself',
    )
    expect(problems).toEqual([])
    expect(cases[0]).toMatchObject({
      turns: [
        { input: 'First', checks: [{ text: 'one', line: 5 }] },
        { input: 'Second', checks: [] },
        { input: 'Third', checks: [] },
      ],
      checks: [{ text: 'three', line: 12 }],
      rubric: [
        { text: 'Should answer', turn: 0, line: 6 },
        { text: 'Should NOT repeat itself', negated: true, line: 13 },
      ],
    })
    expect(cases[0]?.rubric[1]).not.toHaveProperty('turn')
  })

  test('has lists as people write them', () => {
    const { cases, problems } = readMarkdownCase(
      ...HEAD,
      '## Assertions',
      '* Should wrap',
      '  its lines',
      'lazily',
      '+ shouldn’t guess',
      '',
      '1. should **not** shout',
      '2) Mentions',
      '   - this',
      '   - that',
      '- Says that users should not worry',
    )
    expect(problems).toEqual([])
    expect(cases[0]?.rubric.map(({ text, negated, line }) => [line, negated, text])).toEqual([
      [6, false, 'Should wrap its lines lazily'],
      [9, true, 'shouldn’t guess'],
      [11, true, 'should **not** shout'],
      [12, false, 'Mentions\n- this\n- that'],
      [15, false, 'Says that users should not worry'],
    ])
  })

  test('takes quotes away that are around the whole query', () => {
    const input = (text: string): string | undefined =>
      readMarkdownCase('# A', '## Query', text, '## Assertions', '- x').cases[0]?.turns[0]?.input
    expect(input('"Hi there"')).toBe('Hi there')
    expect(input('“Hi there”')).toBe('Hi there')
    expect(input('"Say "hi" to me"')).toBe('Say "hi" to me')
    expect(input(String.raw`"Say\"hi\" to me"`)).toBe('Say"hi" to me')
    expect(input('"A" or "B"')).toBe('"A" or "B"')
    expect(input('“A” or “B”')).toBe('“A” or “B”')
    expect(input('"')).toBe('"')
    expect(input('Say "hi"')).toBe('Say "hi"')
  })

  test('may have a mark of its encoding, the line ends of Windows, and headings in code', () => {
    const text = '\uFEFF# Eval: A\r\n## Query\r\n```\r\n## Query\r\n```\r\n## Assertions\r\n* x\r\n'
    const { cases, suites, problems } = read({ 'deep/a.md': text })
    expect(problems).toEqual([])
    expect(suites).toMatchObject([{ name: 'deep/a', title: 'A' }])
    expect(cases).toMatchObject([
      { name: 'a', turns: [{ input: '```\n## Query\n```' }], rubric: [{ text: 'x' }] },
    ])
  })

  test('is told what is not read, and what is missing', () => {
    const problemsOf = (...lines: readonly string[]): readonly string[] =>
      readMarkdownCase(...lines).problems
    expect(
      problemsOf(
        'above',
        ...HEAD,
        '### Assertions',
        '## Asertions',
        '- x',
        '## Setup',
        'It is Monday.',
        '```json',
        '{}',
        '```',
        '## Tools',
        'none',
        '## Assertions',
        'a text',
        '',
        '- x',
      ),
    ).toEqual([
      'warning evals/a.md:1 what stands above the title is not read',
      'warning evals/a.md:6 "### Assertions" belongs to the query',
      'warning evals/a.md:7 the section "Asertions" is not read; did you mean "Assertions"?',
      'warning evals/a.md:10 this line is not read',
      'warning evals/a.md:11 this block is not read',
      'warning evals/a.md:15 this line is not read',
      'warning evals/a.md:17 this line is not read',
    ])
    expect(problemsOf('# Eval: A', '## Assertions', '- x')).toEqual([
      'error evals/a.md:1 the case has no query',
    ])
    expect(problemsOf('# A', '## Query', '', '## Assertions', '- x')).toEqual([
      'error evals/a.md:2 `input` is empty',
    ])
    expect(problemsOf(...HEAD)).toEqual(['warning evals/a.md:1 nothing is checked in this case'])
    expect(problemsOf(...HEAD, '# Eval: B', '## Query', 'x')).toEqual([
      'error evals/a.md:5 a file has one case, and this is a second title',
    ])
    expect(problemsOf(...HEAD, '```', '## Assertions')).toEqual([
      'error evals/a.md:5 the code block is not closed',
    ])
    expect(problemsOf('## Query', 'x', '# A', '## Assertions', '- x')).toEqual([
      'warning evals/a.md:3 the title stands below a section',
    ])
  })

  test('with a check or a block that cannot be read, the case is left out', () => {
    const both = (...lines: readonly string[]): unknown => {
      const { problems, suites } = readMarkdownCase(...HEAD, ...lines, '## Assertions', '- x')
      return [problems, suites.length]
    }
    expect(both('## Assertions', '- Should do', '- contians: x', '## Query', 'b')).toEqual([
      ['error evals/a.md:7 there is no check `contians`; did you mean `contains`?'],
      0,
    ])
    expect(both('## Assertions', '- token_limit: 2')).toEqual([
      [expect.stringMatching('error evals/a.md:6 there is no check `token_limit`')],
      0,
    ])
    expect(both('## Assertions', '- contains: a: b')).toEqual([
      [expect.stringMatching('error evals/a.md:6 this is no valid YAML')],
      0,
    ])
    expect(both('## Setup', '```yaml', 'a: 1', 'clock: noon', '```')).toEqual([
      ['warning evals/a.md:7 `a` is not a known field', 'error evals/a.md:8 "noon" is no time'],
      0,
    ])
    expect(both('## Tools', '```yaml', 'request: [', '```')).toEqual([
      [expect.stringMatching('error evals/a.md:[78] this is no valid YAML')],
      0,
    ])
    expect(both('## Setup', 'Context: a', '```yaml', 'context: b', '```')).toEqual([
      ['error evals/a.md:6 the context is there twice'],
      0,
    ])
    expect(both('## Setup', 'Context: a', '## Setup', 'Context: b')).toEqual([
      ['error evals/a.md:7 the section "Setup" is there twice'],
      0,
    ])
  })
})
