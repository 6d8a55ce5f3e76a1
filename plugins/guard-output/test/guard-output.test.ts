import { runId, type Json, type JournalEntry } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { journalEntry } from '../src/entry.ts'
import type { Reader } from '../src/review.ts'
import { guardOutput, OutputStream, Review, settings } from '../src/index.ts'
import { normalise } from '../src/normalise.ts'
import { redacted } from './support.ts'

pluginContract(guardOutput, { config: { patterns: 'block' }, use: { trusted: true } })

const review = new Review(settings.parse({}))
const nobody: Reader = { redacted: [], roles: [] }
const SSN = '536-22-9871'
const found = (text: string, reader = nobody, by = review): readonly string[] =>
  by.findings(text, reader).map(({ start, end }) => text.slice(start, end))
const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('the journal', () => {
  const common = { v: 1, run: runId('run_1'), at: 1 }
  const entries = [
    {
      ...common,
      kind: 'note',
      code: 'warning',
      text: 'card 4111111111111111',
      data: { iban: 'GB82 WEST 1234 5698 7654 32' },
    },
    { ...common, kind: 'compacted', cause: 'threshold', upto: 4, summary: `his SSN is ${SSN}` },
    {
      ...common,
      kind: 'run_ended',
      reason: 'error',
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      steps: 1,
      error: { code: 'INTERNAL', message: 'card 4111111111111111' },
    },
  ] as unknown as readonly JournalEntry[] // ids are branded texts

  test.each(entries)('stores no number of a person in a $kind, and changes it once', (entry) => {
    const stored = journalEntry(entry, review, nobody)
    expect(JSON.stringify(stored)).not.toMatch(/1111|9871|7654/)
    expect(journalEntry(stored, review, nobody)).toEqual(stored)
  })
})

describe('numbers', () => {
  test.each<readonly [string, readonly string[]]>([
    ['4111 1111 1111 1111 12/28', ['4111 1111 1111 1111']],
    ['４１１１ 1111 1111 1111', ['４１１１ 1111 1111 1111']],
    ['4111111111111112', []],
    ['x4111111111111111', []],
    ['SSN 000-12-3456', []],
    ['536\u201122\u20119871', ['536\u201122\u20119871']],
    ['SSN 536 22 9871', ['536 22 9871']],
    ['the total of 123-45-6789-02', []],
    ['IBAN: de89370400440532013000', ['de89370400440532013000']],
    ['DE89370400440532013001', []],
    ['account number 12345678 and routing number 021000021', ['12345678', '021000021']],
    ['Kontonummer: 12 345 678', ['12 345 678']],
    ['"accountNumber":12345678', ['12345678']],
    ['the account has 12345678 followers', []],
    ['order 12345678 of 2026-03-01', []],
    [`?d=${base64('an SSN, 536-22-9871')}`, ['A1MzYtMjItOTg3MQ']],
    ['536%2D22%2D9871', ['536%2D22%2D9871']],
    ['mail a@b.example, call +49 30 1234567', []],
  ])('%j: %j', (text, numbers) => {
    expect(found(text)).toEqual(numbers)
  })

  test('e-mail and phone are found where the configuration names them', () => {
    const by = new Review(settings.parse({ kinds: ['email', 'phone'] }))
    const text = `mail a.b@c.example, call +49 (30) 123-4567, SSN ${SSN}`
    expect(found(text, nobody, by)).toEqual(['a.b@c.example', '+49 (30) 123-4567'])
  })
})

describe('known values', () => {
  const reader = { redacted: [redacted('CUS-GV33-61RT')], roles: [] }
  const SEEN = [
    'cus.gv33.61rt',
    'CUS-GV33-\n61RT',
    'CUS-" + "GV33-61RT',
    '&#67;US-GV33-61RT',
    'CUS%2DGV33%2D61RT',
    'CUS%252DGV33%252D61RT',
    'С\u200bUS-GV33-61RT',
    'C U S G V 3 3 6 1 R T',
  ]
  test.each(SEEN)('are found as %j', (text) => {
    expect(found(`key ${text}.`, reader)).toEqual([text])
  })

  test.each([
    base64('the key CUS-GV33-61RT'),
    base64(base64('the key CUS-GV33-61RT')),
    Buffer.from('the key CUS-GV33-61RT').toString('hex'),
    base64('the keys of all: CUS-GV33-61RT, and more of them').replaceAll(/.{20}/g, '$&\n'),
  ])('are leaks in %j', (text) => {
    expect(review.findings(`It is ${text}`, reader)).toMatchObject([{ stage: 'leaks' }])
  })

  test.each(['CUSGV3361RT44', 'XCUS-GV33-61RT', 'CUS-GV33-61RX', 'CUS GV33'])(
    'are not found in %j',
    (text) => {
      expect(found(text, reader)).toEqual([])
    },
  )

  test('places are those of the text, whatever its characters', () => {
    expect(found('𠮷𠮷 wrote CUS GV33 61RT.', reader)).toEqual(['CUS GV33 61RT'])
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { text: plain, at, behind } = normalise(text)
        for (let index = 0; index < plain.length; index++)
          expect(normalise(text.slice(at(index), behind(index))).text).toContain(plain[index])
      }),
    )
  })

  test('a name counts where what it belongs to is named within 100 characters', () => {
    const name = redacted('May', { field: 'first_name', sensitivity: 'pii_name' })
    const known = { redacted: [name], roles: [] }
    expect(found('We met in May, when it rained.', known)).toEqual([])
    expect(found('The contact is called May.', known)).toEqual(['May'])
    expect(found(`May ${'x '.repeat(60)} contact`, known)).toEqual([])
  })
})

describe('a stream', () => {
  const PARTS = [
    'CUS',
    '-',
    'GV33',
    ' ',
    '61RT',
    'CUS-GV33-61RT',
    'CFO ',
    'leaves ',
    'in ',
    'March',
  ]
  const MORE = [
    'May',
    'contact ',
    '4111 ',
    '1111 1111',
    SSN,
    'account no: ',
    '12345678',
    'é',
    '日本',
  ]
  const REST = ['GB82', ' WEST 1234 5698 7654 32', '%2D', '&#67;', base64('a CUS-GV33-61RT'), '\n']
  const reader = {
    redacted: [
      redacted('CUS-GV33-61RT'),
      redacted('CFO leaves in March', { sensitivity: 'internal' }),
      redacted('May', { field: 'first_name', sensitivity: 'pii_name' }),
    ],
    roles: [],
  }
  const lenient = new Review(settings.parse({ leaks: 'redact' }))
  const streamed = (text: string, size: number): string => {
    const out = new OutputStream(lenient, reader)
    let sent = ''
    for (let at = 0; at < text.length; at += size) sent += out.push(text.slice(at, at + size))
    return sent + out.flush()
  }

  test('has one result, however it is cut, and holds no more than the text as one', () => {
    const parts = fc.array(fc.constantFrom(...PARTS, ...MORE, ...REST), { maxLength: 25 })
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 9 }), (pieces, size) => {
        const text = pieces.join('')
        const result = streamed(text, text.length + 1)
        expect(streamed(text, size)).toBe(result)
        for (const { start, end } of lenient.findings(text, reader))
          if (text.slice(start, end) === 'CUS-GV33-61RT' || text.slice(start, end) === SSN)
            expect(result.split('[REDACTED]').length).toBeGreaterThan(1)
      }),
      { numRuns: 500 },
    )
  })

  test('lets words go as they come', () => {
    const out = new OutputStream(review, reader)
    expect(['It ', 'is ', 'paid ', 'on 12 ', 'May'].map((piece) => out.push(piece))).toEqual([
      'It ',
      'is ',
      'paid ',
      'on ',
      '',
    ])
  })

  test('a handle leaves in one piece', () => {
    const handle = '[redacted:contact.email:0a1b2c3d]'
    const out = new OutputStream(review, reader)
    const pieces = [
      ...(`Write to ${handle}, she will answer.`.match(/[^]{1,4}/g) ?? []).map((piece) =>
        out.push(piece),
      ),
      out.flush(),
    ]
    expect(pieces.filter((piece) => piece.includes(handle))).toHaveLength(1)
  })
})

describe('the work', () => {
  const of = (unit: string, length: number): string => unit.repeat(length / unit.length)
  const UNITS: Readonly<Record<string, string>> = {
    words: 'the invoice was sent on Monday and paid, ',
    'digit groups': '4711 0815 42 ',
    digits: '4711081542',
    SSNs: `${SSN} `,
    'SSNs without spaces': `${SSN},`,
    cards: '4111 1111 1111 1111 ',
    base64: `${base64('an SSN, 536-22-9871')}`,
    entities: '&#65;%41&amp;',
    addresses: 'https://host.example/docs/4711?page=9 ',
    brackets: '[[<(',
    'a value': 'CUS GV33 61RT, ',
  }
  const reader = {
    redacted: [redacted('CUS-GV33-61RT', { policy: 'retrieve_but_redact' })],
    roles: [],
  }
  function scanned(text: string, pieces: number): number {
    const out = new OutputStream(review, reader)
    const size = Math.ceil(text.length / pieces)
    for (let at = 0; at < text.length; at += size) out.push(text.slice(at, at + size))
    out.flush()
    expect(out.blocked).toBe(false)
    return out.scanned / text.length
  }

  test.each(Object.entries(UNITS))('for each character of %s is the same', (_name, unit) => {
    const [short, long] = [of(unit, 8_192), of(unit, 131_072)]
    expect(scanned(long, 1)).toBeLessThan(scanned(short, 1) * 1.5 + 1)
    expect(scanned(long, 2_000)).toBe(scanned(long, 1))
    expect(scanned(long, 1)).toBeLessThan(80)
  })

  test('has a limit: a reply is cut there, and any other text withheld', () => {
    const known = { redacted: [redacted('a'.repeat(1_000))], roles: [] }
    const text = 'a '.repeat(30_000)
    expect(review.findings(text, known)).toEqual([
      expect.objectContaining({ start: 0, end: text.length, action: 'block' }),
    ])
    const out = new OutputStream(new Review(settings.parse({ budget: 1_000_000 })), known)
    expect(out.push(text) + out.flush()).toMatch(/it took too much work to look at\.\]$/)
    expect(out.blocked).toBe(true)
  })
})

test('settings that nobody gave', () => {
  expect(settings.parse({})).toEqual({
    fields: 'redact',
    patterns: 'redact',
    kinds: ['ssn', 'card', 'iban', 'bank_account'],
    own: ['iban', 'bank_account'],
    leaks: 'block',
    scope: 'label',
    budget: 100_000_000,
  } satisfies Record<string, Json>)
})
