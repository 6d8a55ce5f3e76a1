import { describe, expect, test } from 'vitest'
import { agentProblems } from './agent-files.ts'
import { typeProblems } from './code.ts'
import { exampleProblems, examplesOf } from './comment-examples.ts'
import { deadLinks } from './links.ts'
import { jsonMisfit, streamMisfit, textFits } from './matching.ts'
import { parsePage, type Page } from './pages.ts'
import { play } from './play.ts'
import { blockProblems } from './rules.ts'
import { commandsOf, shellProblems } from './shell.ts'
import { Workbench } from './workbench.ts'

const LONG = 120_000
const page = (text: string): Page => parsePage('docs/planted.md', text)
const block = (lang: string, text: string): string => `\`\`\`${lang}\n${text}\n\`\`\`\n`

describe('a page is taken apart', () => {
  test('into blocks with their lines, also in a list and inside a longer fence', () => {
    const { blocks } = page(
      `# Title\n\n${block('ts run', 'const a = 1')}\n- item\n\n  ${block('sh', '  npm start').replaceAll('\n```', '\n  ```')}\n~~~~text a drawing\n\`\`\`\n~~~~\n`,
    )
    expect(blocks).toMatchObject([
      { lang: 'ts', info: 'run', line: 4, text: 'const a = 1\n' },
      { lang: 'sh', info: '', line: 10, text: 'npm start\n' },
      { lang: 'text', info: 'a drawing', text: '```\n' },
    ])
  })
})

describe('the check of a page catches', () => {
  test.each([
    ['a block without a language', block('', 'x'), 'needs a language'],
    ['a language that nothing checks', block('python', 'x'), 'nothing checks "python"'],
    ['a word that says nothing', block('ts rnu', 'const a = 1'), '"rnu" says nothing'],
    ['broken JSON', block('json', '{ "a": }'), 'Unexpected token'],
    ['a manifest that nothing loads', block('json', '{ "models": {} }'), 'this is a manifest'],
    [
      'a file that its reader is not told of',
      block('json amodal.json', '{ "name": "a" }'),
      'do not say that this is `amodal.json`',
    ],
    [
      'a drawing with a move that does not exist',
      block('mermaid states', 'stateDiagram-v2\n  done --> thinking'),
      'draws done → thinking, leaves out thinking → streaming',
    ],
  ])('%s', (_, text, problem) => {
    expect(blockProblems(page(text))).toEqual([expect.stringContaining(problem)])
  })

  test.each([
    ['[gone](gone.md)', 'gone.md does not exist'],
    ['[out](../../elsewhere.md)', 'leads out of the repository'],
    ['[part](../CONTRIBUTING.md#no-such-part)', 'has no such heading'],
    ['see `kernel/src/gone.ts`', 'there is no kernel/src/gone.ts'],
  ])('a link that leads nowhere: %s', (text, problem) => {
    expect(deadLinks(page(text))).toEqual([expect.stringContaining(problem)])
    expect(
      deadLinks(
        page(
          '[there](../CONTRIBUTING.md#where-things-are), `kernel/src/plan.ts`, `[code](gone.md)`',
        ),
      ),
    ).toEqual([])
  })

  test(
    'a manifest, a store and a plugin that do not fit',
    async () => {
      const { blocks } = page(
        [
          block('json amodal.json', '{ "limits": { "maxTurns": "many" } }'),
          block(
            'json stores/tasks.json',
            '{ "entity": { "key": "{no}", "schema": { "id": { "type": "string" } } } }',
          ),
          block('json amodal.json', '{ "plugins": ["no-such-plugin"] }'),
          block('json amodal.json', '{ "plugins": [["http", { "prot": 1 }]] }'),
        ].join('\n'),
      )
      expect(await agentProblems(blocks)).toEqual(
        [/limits\.maxTurns/, /entity\.key/, /no-such-plugin/, /prot/].map(
          (part) => expect.stringMatching(part) as string,
        ),
      )
      expect(
        await agentProblems(page(block('json my-agent/amodal.json', '{ "name": "a" }')).blocks),
      ).toEqual([])
      const tool = [
        block('json tools/roll/tool.json', '{ "description": "Rolls.", "confirm": "mabye" }'),
        block('ts tools/roll/handler.ts', 'export default () => 4'),
      ]
      expect(await agentProblems(page(tool.join('\n')).blocks)).toEqual([
        expect.stringContaining('tools/roll/tool.json:1: `confirm` cannot be "mabye"'),
      ])
    },
    LONG,
  )

  test('commands and options that nobody has', () => {
    const known = {
      scripts: new Set(['start', 'test', 'amodal']),
      commands: new Map([['dev', new Set(['--port', '-v'])]]),
    }
    const problems = (text: string): readonly string[] =>
      page(block('sh', text)).blocks.flatMap((one) => shellProblems(one, known))
    expect(
      problems(
        'PORT=1 npm start -- --port 2 -v # go\ncurl -s "http://127.0.0.1:3847/health" | cat\nnpm test -- types',
      ),
    ).toEqual([])
    expect(problems('npm run strat')).toEqual([expect.stringContaining('no script "strat"')])
    expect(problems('npm run amodal -- devv')).toEqual([
      expect.stringContaining('no command "devv"'),
    ])
    expect(problems('npm run amodal -- dev --prot 1')).toEqual([
      expect.stringContaining('no option --prot'),
    ])
    expect(problems('npm start --port 1')).toEqual([
      expect.stringContaining('unless `--` stands before'),
    ])
    expect(problems('npm test -- tpyes')).toEqual([expect.stringContaining('nothing to test')])
    expect(problems('ls && frobnicate x')).toHaveLength(2)
    expect(commandsOf(`A=1 a 'b c' \\\n  d; e # f\n# g\nh "i|j" | k`)).toEqual([
      ['a', 'b c', 'd'],
      ['e'],
      ['h', 'i|j'],
      ['k'],
    ])
  })

  test(
    'code and events that do not fit the types, on the line of the page',
    async () => {
      const bench = new Workbench()
      try {
        const { blocks } = page(
          [
            'text',
            block(
              'ts',
              "// file: token.ts\nimport { slot } from '@amodal/sdk'\nexport const Clock = slot.kernel<{ now(): number }>('clock')",
            ),
            block(
              'ts',
              "import { Clock } from './token.ts'\nexport const wrong: string = Clock.key",
            ),
            block(
              'sse',
              'id: 0.1.0.0\nevent: init\ndata: {"type":"init","session_id":"sess_…","sessionId":"sess_…","timestamp":"…"}',
            ),
            block(
              'sse',
              'id: 0.1.0.0\nevent: done\ndata: {"type":"done","reason":"no_reason","timestamp":"…"}',
            ),
          ].join('\n'),
        )
        expect(await typeProblems(blocks, bench)).toEqual([
          expect.stringContaining('docs/planted.md:10: TS2322'),
          expect.stringContaining('docs/planted.md:22: TS2322'),
        ])
      } finally {
        bench.remove()
      }
    },
    LONG,
  )

  test(
    "an example in a docstring that does not fit, and leaves the reader's own names alone",
    async () => {
      const source = (code: string): string =>
        `/**\n * Text.\n *\n * @example\n * ${code}\n * @see there\n */\n`
      const examples = [
        'use(memory, { maxEntries: 20 })',
        'const made = await Kernel.creat(entries)',
        "return deadline(undefined, 'soon')",
      ].flatMap((code) => examplesOf('kernel/src/time.ts', source(code)))
      const bench = new Workbench()
      try {
        expect(await exampleProblems(examples, bench)).toEqual([
          expect.stringContaining('creat'),
          expect.stringContaining('not assignable'),
        ])
      } finally {
        bench.remove()
      }
    },
    LONG,
  )

  test(
    'code that throws, and output that is not what the page says',
    async () => {
      expect(
        await play(
          page(
            [
              block('ts run', 'console.log(JSON.stringify({ id: 7, name: "x" }))'),
              block('json output', '{ "id": 8, "…": "…" }'),
            ].join('\n'),
          ),
        ),
      ).toEqual([expect.stringContaining('id is 7, and the page says 8')])
      expect(
        await play(
          page([block('ts run', 'console.log("a b c")'), block('text output', 'a … c')].join('\n')),
        ),
      ).toEqual([])
      expect(await play(page(block('ts run', 'throw new Error("oh")')))).toEqual([
        expect.stringContaining('oh'),
      ])
      expect(await play(page(block('sh run', 'npm run amodal -- validate --dir nowhere')))).toEqual(
        [expect.stringContaining('nowhere')],
      )
    },
    LONG,
  )
})

describe('what is shown matches what was said where `…` allows it', () => {
  test('in text and JSON', () => {
    expect(textFits('a (…) c', 'a (b\nb) c\n')).toBe(true)
    expect(textFits('a', 'ab')).toBe(false)
    expect(jsonMisfit({ a: [1, '…'], '…': '…' }, { a: [1, 2, 3], b: 4 })).toBeUndefined()
    expect(jsonMisfit({ a: [1] }, { a: [1, 2] })).toMatch(/^a is/)
    expect(jsonMisfit({ a: 1 }, { a: 1, b: 2 })).toMatch(/also has b/)
    expect(jsonMisfit({ a: '…' }, {})).toMatch(/^a is undefined/)
  })

  test('in streams of events', () => {
    const frame = (event: string, n: number): string =>
      `id: 0.1.0.${n}\nevent: ${event}\ndata: {"type":"${event}","n":${n}}\n\n`
    const sent = `${frame('init', 0)}:\n\n${frame('text_delta', 1)}${frame('text_delta', 2)}${frame('done', 3)}`
    expect(
      streamMisfit(
        `${frame('init', 0)}…\n\nid: …\nevent: done\ndata: {"type":"done","…":"…"}`,
        sent,
      ),
    ).toBeUndefined()
    expect(streamMisfit(`${frame('init', 0)}${frame('done', 3)}`, sent)).toMatch(
      /the event is text_delta/,
    )
    expect(streamMisfit(frame('init', 0), sent)).toMatch(/goes on with text_delta/)
    expect(streamMisfit(`…\n\n${frame('error', 3)}`, sent)).toMatch(/ends before error/)
  })
})
