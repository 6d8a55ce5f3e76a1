import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import type { PseudoTerminal } from './pseudo-terminal.ts'
import { answerIn, place, USUAL, wordsOf } from './talking.ts'

const WORDS = ['alpha', 'be', 'gamma', 'delta', 'of', 'the', 'incident', 'report']
const TOKENS = 10_000

/** Tokens of an answer: each of them is a word that no other one has. */
const SHAPES: Readonly<Record<string, (word: string, at: number) => string>> = {
  paragraphs: (word, at) => `${word}${at % 60 === 59 ? '.\n\n' : ' '}`,
  'one paragraph': (word) => `${word} `,
  lines: (word, at) => `${word}${at % 12 === 11 ? '\n' : ' '}`,
  list: (word, at) => `${at % 9 === 0 ? '\n- ' : ''}${word} `,
  code: (word, at) => `${at === 0 ? '```ts\n' : ''}${word}${at % 2 === 1 ? '\n' : ' '}`,
}

const tokensOf = (shape: string): readonly string[] =>
  Array.from(
    { length: TOKENS },
    (_, at) => SHAPES[shape]?.(`${WORDS[at % WORDS.length] ?? ''}${at}`, at) ?? '',
  )

async function ended(terminal: PseudoTerminal): Promise<void> {
  await terminal.shows(/report9999[^]*sess_\w+$/, 120_000)
}

/** The first words of the scrollback that are not those of the answer. */
async function differenceIn(terminal: PseudoTerminal, answer: string): Promise<object | undefined> {
  const wanted = wordsOf(answer).split(' ')
  const shown = wordsOf(answerIn(await terminal.text(), 'Report')).split(' ')
  const at = wanted.findIndex((word, index) => word !== shown[index])
  if (at === -1 && wanted.length === shown.length) return undefined
  const from = at === -1 ? wanted.length : at
  return { shown: shown.slice(from, from + 20), wanted: wanted.slice(from, from + 20) }
}

/** Every shape on the usual screen; the commonest on a small and on a large one. */
const CASES = [
  ...Object.keys(SHAPES).map((shape) => [80, 24, shape] as const),
  ...[[40, 10] as const, [200, 60] as const].flatMap(([columns, rows]) =>
    ['paragraphs', 'one paragraph', 'code'].map((shape) => [columns, rows, shape] as const),
  ),
]

test.each(CASES)(
  'on %i×%i, an answer of 10,000 tokens (%s) is in the scrollback once, and repaints little',
  async (columns, rows, shape) => {
    const tokens = tokensOf(shape)
    const answer = tokens.join('')
    await using agent = await place(reply.text(inPairs(tokens), { pace: 1 }))
    await using terminal = await agent.chat([], { columns, rows })
    const before = terminal.bytes
    const frames = (): number => terminal.raw.split('\u001b[?2026h').length
    const [begun, earlier] = [performance.now(), frames()]
    terminal.type('Report\r')
    await ended(terminal)
    const seconds = (performance.now() - begun) / 1_000
    expect(await differenceIn(terminal, answer.replace('```ts', ''))).toBeUndefined()
    expect(terminal.bytes - before).toBeLessThan(3 * Buffer.byteLength(answer))
    expect((frames() - earlier) / seconds).toBeLessThanOrEqual(15)
    expect(terminal.raw).not.toContain('\u001b[2J')
  },
  180_000,
)

/** Two tokens at a time: the timers of the model are not what is tested. */
const inPairs = (tokens: readonly string[]): readonly string[] =>
  tokens.flatMap((token, at) => (at % 2 === 0 ? [token + (tokens[at + 1] ?? '')] : []))

test('a slow answer repaints little as well', async () => {
  const tokens = tokensOf('one paragraph').slice(0, 1_500)
  await using agent = await place(reply.text(tokens, { pace: 25 }))
  await using terminal = await agent.chat([], { columns: 40, rows: 10 })
  const before = terminal.bytes
  terminal.type('Report\r')
  await terminal.shows(/delta1499[^]*sess_\w+$/, 120_000)
  expect(terminal.bytes - before).toBeLessThan(3 * Buffer.byteLength(tokens.join('')))
}, 180_000)

test('a terminal that gets narrower, wider and shorter leaves no trace in the scrollback', async () => {
  const tokens = tokensOf('paragraphs').slice(0, 3_000)
  await using agent = await place(reply.text(tokens, { pace: 4 }))
  await using terminal = await agent.chat([], USUAL)
  terminal.type('Report\r')
  await terminal.shows(/alpha400\b/)
  terminal.resize({ columns: 40, rows: 24 })
  await terminal.shows(/alpha1200\b/)
  terminal.resize({ columns: 120, rows: 10 })
  await terminal.shows(/alpha2000\b/)
  terminal.resize({ columns: 60, rows: 40 })
  await terminal.shows(/report2999[^]*sess_\w+$/, 120_000)
  expect(await differenceIn(terminal, tokens.join(''))).toBeUndefined()
}, 180_000)
