import { KnownValues, OutputStream, Review, settings } from '@amodal/plugin-guard-output'
import type { RedactedValue } from '@amodal/sdk'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { halves, SINGLE } from './ways.ts'

const VALUES = [
  'CUS-GV33-61RT',
  'maria.novak@desk.example',
  '078-05-1120',
  'Nightfall Harbor',
  '4821907733',
  'DE89370400440532013000',
]
/** Short ones, and such as are only digits or letters, would be found by chance first. */
const MORE = [
  '4711',
  '31415',
  '271828',
  'Lammergeier',
  'Bluebird',
  'QX7Z',
  'af01',
  'deadbe',
  'Zo\u00eb M\u00fcller',
  'GB29 NWBK 6016',
  'x9-22',
  'hunter2',
]
const CARRIERS: readonly (readonly [before: string, behind: string])[] = [
  ['Here it is: ', ' and that is all of it, have a good day.'],
  ['', ''],
  ['The note says "', '", as they told me on Monday at 10:30.'],
  ['Result:\n\n', '\n\nDone.'],
]
const redacted = (value: string): RedactedValue => ({
  value,
  entity: 'Record',
  field: 'key',
  policy: 'never_retrieve',
  sensitivity: 'pii_identifier',
})
const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** Values that a way changes at all. */
const casesOf = (name: string): readonly { readonly value: string; readonly masked: string }[] =>
  VALUES.map((value) => ({ value, masked: SINGLE[name]?.(value) ?? value })).filter(
    ({ value, masked }) => masked !== value,
  )

const judge = (value: string): { readonly known: KnownValues; readonly stream: OutputStream } => {
  const known = new KnownValues()
  known.add([redacted(value)])
  return {
    known,
    stream: new OutputStream(new Review(settings.parse({ links: 'keep' })), {
      redacted: [redacted(value)],
      roles: [],
    }),
  }
}

const CUT = '\n\n[The rest'
/**
 * How much of what the value was made leaves of a text that is sent in pieces; nothing less than
 * all of it where it is not found.
 */
function leaked({ value, masked, before, behind }: Case, size: number): number {
  const { stream } = judge(value)
  const text = before + masked + behind
  let left = ''
  for (let at = 0; at < text.length; at += size) left += stream.push(text.slice(at, at + size))
  left += stream.flush()
  if (!stream.blocked) return 1
  const own = Math.max(
    0,
    left.indexOf(CUT) -
      before.length -
      NO_VALUE.reduce((most, start) => (masked.startsWith(start) ? start.length : most), 0),
  )
  return own / masked.length
}

/** Stands before a value and is none. */
const NO_VALUE = ['data:text/plain;base64,']
/** A sign or two of the first character, of which its encoding takes several. */
const MOST_LEAKED = 0.15
const LEAST_SEEN = 0.97
const PIECES = [1, 3, 7, 40]

interface Case {
  readonly value: string
  readonly masked: string
  readonly before: string
  readonly behind: string
}

describe.each(['first', 'second'] as const)('the %s half of the disguises', (which) => {
  const names = halves()[which === 'first' ? 0 : 1]
  const cases = new Map(
    names.map((name) => [
      name,
      casesOf(name).flatMap((one) =>
        CARRIERS.map(([before, behind]): Case => ({ ...one, before, behind })),
      ),
    ]),
  )
  /** Names are shown of the first half only: the second is not to be tuned on. */
  const report = (what: string, missed: ReadonlyMap<string, number>): number => {
    const all = [...cases.values()].reduce((sum, { length }) => sum + length, 0)
    const open = [...missed.values()].reduce((sum, count) => sum + count, 0)
    print(
      `${which}: ${names.length - missed.size} of ${names.length} disguises, ${all - open} of ${all} texts ${what}`,
    )
    if (which === 'first') for (const [name, count] of missed) print(`  ${name}: ${count}`)
    return 1 - open / all
  }
  const missedBy = (isMissed: (one: Case) => boolean): ReadonlyMap<string, number> =>
    new Map(
      [...cases]
        .map(([name, own]) => [name, own.filter(isMissed).length] as const)
        .filter(([, count]) => count > 0),
    )

  test('is seen through', () => {
    const missed = missedBy(
      ({ value, masked, before, behind }) =>
        judge(value).known.find(before + masked + behind).length === 0,
    )
    expect(report('seen through', missed)).toBeGreaterThanOrEqual(LEAST_SEEN)
  })

  test.each(PIECES)('does not leave while it streams, in pieces of %d', (size) => {
    const missed = missedBy((one) => leaked(one, size) > MOST_LEAKED)
    expect(report(`held back in pieces of ${size}`, missed)).toBeGreaterThanOrEqual(LEAST_SEEN)
  })
})

test('ordinary texts hold none of the values', () => {
  const known = new KnownValues()
  known.add([...VALUES, ...MORE].map(redacted))
  const texts = readFileSync(join(import.meta.dirname, 'scanner.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly text: string }).text)
  expect(texts.filter((text) => known.find(text).length > 0)).toEqual([])
})
