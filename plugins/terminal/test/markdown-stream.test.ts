import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MarkdownStream } from '../src/markdown/markdown-stream.ts'
import { coloured, plain } from '../src/paint.ts'
import { widthOf } from '../src/width.ts'

interface Read {
  readonly lines: readonly string[]
  /** The most lines that were open at once. */
  readonly open: number
}

/** Reads a text that comes in pieces of these lengths. */
function read(text: string, columns: number, lengths: readonly number[] = [text.length]): Read {
  const stream = new MarkdownStream()
  const lines: string[] = []
  let open = 0
  for (let [at, step] = [0, 0]; ; step++) {
    at += lengths[step % lengths.length] ?? 1
    const isComplete = at >= text.length
    const progress = stream.read(text.slice(0, at), isComplete, { columns, paint: plain })
    lines.push(...progress.finished)
    open = Math.max(open, progress.open.length)
    if (isComplete) return { lines, open }
  }
}

const SAMPLE = `# Title

A paragraph with **bold text that spans several words**, \`code\` and [a link](https://example.com/x).
2 * 3, snake_case_name, a &amp; b, and a_very_long_word_${'x'.repeat(50)}.

- one item that is long enough to be wrapped over the end of a line of forty columns
- two
  - nested
- [x] done

3. third
4. fourth

\`\`\`ts
const a = 1

  const b = 2
\`\`\`

| Name | Value |
|------|------:|
| one  | 1 |
| two  | 22 |

> quoted

Line one
Line two`

describe('Markdown on a terminal', () => {
  test('is laid out in lines', () => {
    expect(read(SAMPLE, 40).lines.join('\n')).toMatchInlineSnapshot(`
      "Title

      A paragraph with bold text that spans
      several words, code and a link
      (https://example.com/x).
      2 * 3, snake_case_name, a & b, and
      a_very_long_word_xxxxxxxxxxxxxxxxxxxxxxx
      xxxxxxxxxxxxxxxxxxxxxxxxxxx.

      • one item that is long enough to be
        wrapped over the end of a line of
        forty columns
      • two
        • nested
      • [x] done

      3. third
      4. fourth

        const a = 1

          const b = 2

      Name  Value
      ────  ─────
      one       1
      two      22

      │ quoted

      Line one
      Line two"
    `)
  })

  test('is the same, however it comes', () => {
    for (const columns of [20, 40, 80])
      for (const lengths of [[1], [3, 1, 7], [50]])
        expect(read(SAMPLE, columns, lengths).lines).toEqual(read(SAMPLE, columns).lines)
  })

  test('shows the cells of a row one after another where columns do not fit', () => {
    const table = '| a | b | c |\n|---|---|---|\n| long text | more text | end |'
    expect(read(table, 40).lines).toEqual([
      'a          b          c',
      '─────────  ─────────  ───',
      'long text  more text  end',
    ])
    expect(read(table, 12).lines).toEqual(['a: long text', 'b: more text', 'c: end'])
  })

  test('no line is longer than the screen, and few are open', () => {
    for (const columns of [8, 40, 80]) {
      const { lines, open } = read(SAMPLE, columns, [1])
      expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns)
      expect(open).toBeLessThan(16)
    }
  })

  test('shows every word once, whatever is written', () => {
    const word = fc.constantFrom(
      ...['alpha', 'beta', '**', '*', 'x`', '- ', '1. ', '# ', '> ', '\n', '\n\n', '```\n', ' '],
      ...['[', '](x)', '_', '\\', '&amp;', '<b>', '---\n', '    ', '漢字', '👩‍👩‍👧'],
    )
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        (words, lengths) => {
          const text = words.map((one, at) => (/^[ab]/.test(one) ? `${one}${at} ` : one)).join('')
          const names = (shown: string): readonly string[] =>
            shown.match(/(?:alpha|beta)\d+/g) ?? []
          const { lines } = read(text, 30, lengths)
          expect(names(lines.join('\n')).toSorted()).toEqual(names(text).toSorted())
        },
      ),
      { numRuns: 500 },
    )
  })

  test('looks are escape sequences that end with their text', () => {
    const stream = new MarkdownStream()
    const { finished } = stream.read('**b** `c`', true, { columns: 40, paint: coloured })
    expect(finished).toEqual(['\u001b[1mb\u001b[22m \u001b[36mc\u001b[39m'])
  })
})
