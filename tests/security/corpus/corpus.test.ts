import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

import { isCard, isIban, isIssued, isLuhn, isRouting, isSsn } from './checks.ts'
import type { DisguiseLine } from './disguise-lines.ts'
import type { Kind } from './findings.ts'
import type { LeakLine } from './leak-lines.ts'
import { corpus } from './make.ts'
import type { ScannerLine } from './scanner-lines.ts'
import { isFair, type StreamLine } from './stream-lines.ts'

const file = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')
const lines = <T>(name: string): readonly T[] =>
  file(name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

const scanner = lines<ScannerLine>('scanner.jsonl')
const leaks = lines<LeakLine>('leaks.jsonl')
const disguised = lines<DisguiseLine>('disguises.jsonl')
const stream = lines<StreamLine>('stream.jsonl')

const compact = (value: string): string => value.replace(/[^a-z0-9]/gi, '')
const shown = <T extends { readonly id: string }>(found: readonly T[]): readonly string[] =>
  found.map((line) => line.id)
/** Everything after normalising that the spelling of a value may change. */
const normal = (text: string): string =>
  decodeLoosely(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

describe('the files', () => {
  test.each(Object.entries(corpus()))('%s is what make.ts makes', (name, text) =>
    expect(file(name)).toBe(text),
  )

  test('hold enough lines', () => {
    expect(scanner.length).toBeGreaterThanOrEqual(1_600)
    expect(scanner.filter(({ labels }) => labels.length === 0).length).toBeGreaterThanOrEqual(
      scanner.length / 2,
    )
    expect(leaks.filter((line) => line.leaks.length > 0).length).toBeGreaterThanOrEqual(300)
    expect(leaks.filter((line) => line.leaks.length === 0).length).toBeGreaterThanOrEqual(500)
    expect(new Set(disguised.map(({ disguise }) => disguise)).size).toBeGreaterThanOrEqual(20)
    expect(stream.length).toBeGreaterThanOrEqual(100)
    expect(scanner.length + leaks.length + disguised.length + stream.length).toBeGreaterThanOrEqual(
      2_400,
    )
  })

  test('give every line an id of its own', () => {
    const ids = [...shown(scanner), ...shown(leaks), ...shown(disguised), ...shown(stream)]
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('say nothing twice', () => {
    for (const texts of [
      scanner,
      leaks.map(({ text, tracked }) => ({ text: `${text}${JSON.stringify(tracked)}` })),
      stream,
    ]) {
      expect(new Set(texts.map(({ text }) => text)).size).toBe(texts.length)
    }
  })

  test.each([
    ['scanner', scanner],
    ['leaks', leaks],
    ['disguises', disguised],
  ] as const)('hold a fifth of %s back', (_, split) => {
    expect(split.filter((line) => line.split === 'held').length / split.length).toBeCloseTo(0.2, 2)
  })
})

describe('scanner.jsonl', () => {
  const labels = scanner.flatMap((line) =>
    line.labels.map((label) => ({ ...label, id: line.id, text: line.text })),
  )

  test('labels what stands in the text, in its order', () => {
    const missing = scanner.filter(({ text, labels }) => {
      let from = 0
      return labels.some(({ value }) => {
        const at = text.indexOf(value, from)
        from = at + value.length
        return at < 0
      })
    })
    expect(shown(missing)).toEqual([])
  })

  const valid: Record<Kind, (value: string) => boolean> = {
    ssn: isSsn,
    card: isCard,
    iban: isIban,
    bank_account: (digits) => /^\d{8,17}$/.test(digits) && !isCard(digits),
  }
  test.each(['ssn', 'card', 'bank_account', 'iban'] as const)(
    'labels as %s only what is one, and often enough in both parts',
    (kind) => {
      const ofKind = labels.filter((label) => label.kind === kind)
      expect(shown(ofKind.filter(({ value }) => !valid[kind](compact(value))))).toEqual([])
      for (const split of ['tune', 'held'] as const) {
        expect(
          scanner.filter(
            (line) => line.split === split && line.labels.some((label) => label.kind === kind),
          ).length,
        ).toBeGreaterThan(20)
      }
    },
  )

  /** The text with each label taken out once. */
  const unlabelled = ({ text, labels }: ScannerLine): string =>
    labels.reduce((rest, { value }) => rest.replace(value, '\u0000'), text)

  // A number of these shapes that stands alone, and that no label covers, would be a label
  // forgotten.
  const forgotten: readonly (readonly [
    kind: string,
    shape: RegExp,
    valid: (value: string) => boolean,
  ])[] = [
    [
      'social security number',
      /(?<![\w.-])\d{3}[-\u2010-\u2015\u2212]\d{2}[-\u2010-\u2015\u2212]\d{4}(?![\w-])/g,
      isSsn,
    ],
    [
      'card',
      /(?<![\w.,-])(?:\d{13,19}|\d{4}([ \u00a0-])(?:\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?|\d{6}\1\d{4,5}|\d{3}\1\d{3}\1\d{3}))(?![\w-])/g,
      isCard,
    ],
    ['IBAN', /(?<!\w)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){10,30}(?!\w)/gi, isIban],
    ['routing number', /(?<=routing (?:number )?|aba:? )\d{9}(?!\d)/gi, isRouting],
  ]
  test.each(forgotten)('leaves no %s without its label', (_, shape, valid) => {
    expect(
      shown(
        scanner.filter((line) =>
          [...unlabelled(line).matchAll(shape)].some(([found]) => valid(compact(found))),
        ),
      ),
    ).toEqual([])
  })

  test('comes close: what lacks a label is nearly one', () => {
    const near = scanner.filter(({ labels }) => labels.length === 0).map(({ text }) => text)
    const with16 = near
      .flatMap((text) => text.match(/\b\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}\b/g) ?? [])
      .map(compact)
    expect(with16.filter((digits) => isIssued(digits) && !isLuhn(digits)).length).toBeGreaterThan(
      30,
    )
    expect(with16.filter((digits) => isLuhn(digits) && !isIssued(digits)).length).toBeGreaterThan(
      20,
    )
    expect(
      near.filter((text) => /(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])/.test(text)).length,
    ).toBeGreaterThan(15)
    expect(
      near.filter((text) => /account|routing|konto|cuenta|compte/i.test(text) && /\d{8}/.test(text))
        .length,
    ).toBeGreaterThan(80)
    expect(
      near.filter((text) => /iban/i.test(text) && /[A-Z]{2}\d{2}[ \dA-Z]{10}/.test(text)).length,
    ).toBeGreaterThan(30)
  })
})

describe('leaks.jsonl', () => {
  test('leaks only what is tracked', () => {
    expect(
      shown(
        leaks.filter((line) =>
          line.leaks.some((value) => !line.tracked.some((tracked) => tracked.value === value)),
        ),
      ),
    ).toEqual([])
  })

  test('leaks what stands in the text once case and separators are left aside', () => {
    const absent = leaks.filter((line) =>
      line.leaks.some((value) => {
        const parts = line.tracked.some(
          (tracked) => tracked.value === value && tracked.sensitivity === 'pii_name',
        )
          ? value.split(' ')
          : [value]
        return !parts.every((part) => normal(line.text).includes(normal(part)))
      }),
    )
    expect(shown(absent)).toEqual([])
  })

  test('has every sensitivity on both sides', () => {
    for (const sensitivity of ['pii_identifier', 'pii_name', 'internal', 'financial']) {
      const about = leaks.filter((line) =>
        line.tracked.some((tracked) => tracked.sensitivity === sensitivity),
      )
      expect(about.filter((line) => line.leaks.length > 0).length, sensitivity).toBeGreaterThan(20)
      expect(about.filter((line) => line.leaks.length === 0).length, sensitivity).toBeGreaterThan(
        20,
      )
    }
  })

  test('never shows a value as a word of its own without calling it a leak, names aside', () => {
    const shownAnyway = leaks.filter((line) =>
      line.tracked.some(
        ({ value, sensitivity }) =>
          sensitivity !== 'pii_name' &&
          !line.leaks.includes(value) &&
          wordsOf(line.text).includes(value.toLowerCase()),
      ),
    )
    expect(shown(shownAnyway)).toEqual([])
  })

  test('calls a name a leak within 60 characters of what says whose it is, and none within 200', () => {
    const wrong = leaks.filter((line) =>
      line.tracked.some(({ value, sensitivity, entity, field }) => {
        if (sensitivity !== 'pii_name') return false
        const distance = nearest(line, value, [
          entity,
          field,
          field.replace('_', ' '),
          field.replace('_', ''),
        ])
        return line.leaks.includes(value) ? distance > 60 : distance <= 200
      }),
    )
    expect(shown(wrong)).toEqual([])
  })
})

test('disguises.jsonl hides each value: it never stands in the text as it is', () => {
  expect(shown(disguised.filter(({ text, value }) => text.includes(value)))).toEqual([])
  for (const name of new Set(disguised.map(({ disguise }) => disguise))) {
    expect(
      new Set(disguised.filter(({ disguise }) => disguise === name).map(({ value }) => value)).size,
      name,
    ).toBeGreaterThanOrEqual(4)
  }
})

test('stream.jsonl blocks what stands in the text, and starts of it stand nowhere else', () => {
  expect(
    shown(
      stream.filter(
        ({ text, blocked }) =>
          blocked.length === 0 || !blocked.every((value) => text.includes(value)),
      ),
    ),
  ).toEqual([])
  expect(shown(stream.filter(({ text, blocked }) => !isFair(text, blocked)))).toEqual([])
})

function decodeLoosely(text: string): string {
  return text.replace(/(?:%[0-9A-F]{2})+/g, (encoded) => decodeURIComponent(encoded))
}

/** Words as people see them, and also without the punctuation at their ends. */
function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[\s|"'`<>()[\]{}=;:/]+/)
    .flatMap((word) => [word, word.replace(/^\W+|\W+$/g, '')])
}

/**
 * How many characters lie between a whole name, in any order of its parts, and the nearest word
 * that says whose it is.
 */
function nearest(line: LeakLine, name: string, context: readonly string[]): number {
  const text = decodeLoosely(line.text).toLowerCase()
  const parts = name.toLowerCase().split(' ')
  const orders = [parts, [...parts].reverse()].map((order) => order.join('[\\s,\u00a0]+'))
  const siblings = line.tracked.filter(
    (tracked) =>
      tracked.value !== name &&
      line.tracked.some((own) => own.value === name && own.entity === tracked.entity),
  )
  const said = [...context, ...siblings.map(({ value }) => value)].flatMap((word) => [
    ...text.matchAll(new RegExp(word.toLowerCase().replace(/[.+*?^$()]/g, '\\$&'), 'g')),
  ])
  const named = [...text.matchAll(new RegExp(`(?<!\\p{L})(?:${orders.join('|')})(?!\\p{L})`, 'gu'))]
  return Math.min(
    Infinity,
    ...named.flatMap((at) =>
      said.map((word) =>
        Math.max(word.index - at.index - at[0].length, at.index - word.index - word[0].length),
      ),
    ),
  )
}
