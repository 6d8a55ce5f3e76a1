import { KnownValues, OutputStream, Review, scan, settings } from '@amodal/plugin-guard-output'
import type { RedactedValue } from '@amodal/sdk'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { DisguiseLine } from './disguise-lines.ts'
import type { LeakLine } from './leak-lines.ts'
import type { ScannerLine } from './scanner-lines.ts'
import type { StreamLine } from './stream-lines.ts'

const lines = <T>(name: string): readonly T[] =>
  readFileSync(join(import.meta.dirname, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

const scanner = lines<ScannerLine>('scanner.jsonl')
const leaks = lines<LeakLine>('leaks.jsonl')
const disguises = lines<DisguiseLine>('disguises.jsonl')
const stream = lines<StreamLine>('stream.jsonl')
const SPLITS = ['tune', 'held'] as const

/** How often something was found that is there, that is not there, and was not found. */
class Score {
  hits = 0
  wrong = 0
  missed = 0

  /** One text: each label is met once. */
  count(found: readonly string[], labels: readonly string[]): void {
    const open = [...labels]
    for (const one of found) {
      const at = open.indexOf(one)
      if (at === -1) this.wrong++
      else {
        open.splice(at, 1)
        this.hits++
      }
    }
    this.missed += open.length
  }

  get precision(): number {
    return this.hits / (this.hits + this.wrong)
  }
  get recall(): number {
    return this.hits / (this.hits + this.missed)
  }
  get line(): string {
    return `precision ${this.precision.toFixed(4)}, recall ${this.recall.toFixed(4)} (${this.hits} found, ${this.wrong} wrong, ${this.missed} missed)`
  }
}

/**
 * The figures are what this file is read for. Texts are never printed: half of them are not to be
 * known.
 */
const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** False alarms in a thousand clean texts, at most. */
const MOST_FALSE = 1
const GATES = [
  ['ssn', 0.98, 0.98],
  ['card', 0.98, 0.98],
  ['iban', 0.98, 0.98],
  ['bank_account', 0.9, 0.95],
] as const

describe.each(SPLITS)('the scanner on %s', (split) => {
  const own = scanner.filter((line) => line.split === split)

  test.each(GATES)('%s: precision %d, recall %d', (kind, precision, recall) => {
    const score = new Score()
    for (const { text, labels } of own) {
      const found = scan(text)
        .filter((one) => one.kind === kind)
        .map(({ start, end }) => text.slice(start, end))
      score.count(
        found,
        labels.filter((one) => one.kind === kind).map(({ value }) => value),
      )
    }
    print(`${split} ${kind}: ${score.line}`)
    expect(score.precision).toBeGreaterThanOrEqual(precision)
    expect(score.recall).toBeGreaterThanOrEqual(recall)
  })

  test('false alarms in clean texts', () => {
    const clean = own.filter(({ labels }) => labels.length === 0)
    const alarms = clean.filter(({ text }) => scan(text).length > 0).length
    print(`${split}: ${alarms} false alarms in ${clean.length} clean texts`)
    expect((alarms * 1_000) / clean.length).toBeLessThanOrEqual(MOST_FALSE)
  })
})

const known = (values: readonly Omit<RedactedValue, 'policy'>[]): KnownValues => {
  const made = new KnownValues()
  made.add(values.map((value) => ({ ...value, policy: 'never_retrieve' })))
  return made
}

describe.each(SPLITS)('the leak detector on %s', (split) => {
  const own = leaks.filter((line) => line.split === split)

  test('precision 0.98, recall 0.98', () => {
    const score = new Score()
    for (const { text, tracked, leaks: labels } of own)
      score.count(
        [
          ...new Set(
            known(tracked)
              .find(text)
              .map(({ value }) => value.value),
          ),
        ],
        [...new Set(labels)],
      )
    print(`${split} leaks: ${score.line}`)
    expect(score.precision).toBeGreaterThanOrEqual(0.98)
    expect(score.recall).toBeGreaterThanOrEqual(0.98)
  })

  test('false alarms in clean texts', () => {
    const clean = own.filter(({ leaks: labels }) => labels.length === 0)
    const alarms = clean.filter(({ text, tracked }) => known(tracked).find(text).length > 0).length
    print(`${split} leaks: ${alarms} false alarms in ${clean.length} clean texts`)
    expect((alarms * 1_000) / clean.length).toBeLessThanOrEqual(MOST_FALSE)
  })

  /** Beyond what normalising promises: looked at, and not asked for. */
  const BEYOND: ReadonlySet<string> = new Set([
    'base64 of hex',
    'base64 twice',
    'digits as words',
    'ROT13',
    'leetspeak',
  ])

  test('18 of 20 disguises are seen through', () => {
    const tally = new Map<string, { seen: number; all: number }>()
    for (const { disguise, value, text } of disguises.filter((line) => line.split === split)) {
      const one = tally.get(disguise) ?? { seen: 0, all: 0 }
      tally.set(disguise, one)
      one.all++
      if (
        known([{ value, sensitivity: 'pii_identifier', entity: 'Record', field: 'field' }]).find(
          text,
        ).length > 0
      )
        one.seen++
    }
    const promised = [...tally].filter(([name]) => !BEYOND.has(name))
    const through = promised.filter(([, { seen, all }]) => seen === all)
    print(
      `${split} disguises: ${through.length} of ${promised.length} seen through; beyond: ${[
        ...tally,
      ]
        .filter(([name]) => BEYOND.has(name))
        .map(([name, { seen, all }]) => `${name} ${seen}/${all}`)
        .join(', ')}`,
    )
    expect(through.length / promised.length).toBeGreaterThanOrEqual(0.9)
  })
})

const SHORTEST_PREFIX = 6
const chunked = (text: string, sizes: readonly number[]): readonly string[] => {
  const pieces: string[] = []
  for (let at = 0, n = 0; at < text.length; n++) {
    const size = sizes[n % sizes.length] ?? 1
    pieces.push(text.slice(at, at + size))
    at += size
  }
  return pieces
}

describe.each(['redact', 'block'] as const)(
  'a reply in pieces, where what is found is to %s',
  (action) => {
    const review = new Review(settings.parse({ patterns: action, leaks: action }))
    const sent = (line: StreamLine, sizes: readonly number[]): string => {
      const redacted: readonly RedactedValue[] = line.id.startsWith('stream-track-')
        ? line.blocked.map((value) => ({
            value,
            entity: 'Record',
            field: 'field',
            policy: 'never_retrieve',
            sensitivity: 'pii_identifier',
          }))
        : []
      const out = new OutputStream(review, { redacted, roles: [] })
      return (
        chunked(line.text, sizes)
          .map((piece) => out.push(piece))
          .join('') + out.flush()
      )
    }

    test('no six first characters of what may not leave do, however it is cut', () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...stream),
          fc.array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 40 }),
          (line, sizes) => {
            const text = sent(line, sizes)
            expect(
              line.blocked.filter((value) => text.includes(value.slice(0, SHORTEST_PREFIX))),
            ).toEqual([])
          },
        ),
        { numRuns: 2_000 },
      )
    })

    test.each([1, 2, 3, 5, 8, 1_000])('nor of any line, in pieces of %d', (size) => {
      expect(
        stream
          .filter((line) =>
            line.blocked.some((value) =>
              sent(line, [size]).includes(value.slice(0, SHORTEST_PREFIX)),
            ),
          )
          .map(({ id }) => id),
      ).toEqual([])
    })

    test('what is sent does not depend on how it is cut', () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...stream),
          fc.array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 40 }),
          (line, sizes) => {
            expect(sent(line, sizes)).toBe(sent(line, [100_000]))
          },
        ),
        { numRuns: 1_000 },
      )
    })
  },
)

test('clean texts leave as they are, and are not held back for long', () => {
  const review = new Review(settings.parse({}))
  const delays: number[] = []
  for (const { text } of scanner.filter(({ labels }) => labels.length === 0)) {
    const out = new OutputStream(review, { redacted: [], roles: [] })
    let [went, came] = ['', 0]
    for (const piece of chunked(text, [4])) {
      came += piece.length
      went += out.push(piece)
      delays.push(came - went.length)
    }
    expect(went + out.flush()).toBe(text)
  }
  const sorted = delays.sort((a, b) => a - b)
  print(
    `held back of clean texts: median ${sorted[Math.floor(sorted.length / 2)]} characters, 99 of 100 below ${sorted[Math.floor(sorted.length * 0.99)]}`,
  )
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(8)
})
