import type { JournalEntry, Json } from '@amodal/sdk'
import { runId } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { journalEntry } from '../src/entry.ts'
import { Effort } from '../src/effort.ts'
import { normalise } from '../src/normalise.ts'
import { guardOutput, KnownValues, OutputStream, Review, scan, settings } from '../src/index.ts'
import { linksIn, carriesData } from '../src/links.ts'
import { redacted } from './support.ts'

pluginContract(guardOutput, { config: { patterns: 'block' }, use: { trusted: true } })

const review = new Review(settings.parse({}))
const nobody = { redacted: [], roles: [] }

/** Work that grows with the square of these texts takes minutes. */
const LONG_MS = 20_000

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
    {
      ...common,
      kind: 'child_closed',
      call: 'c',
      child: 's',
      status: 'success',
      summary: 'SSN 536-22-9871',
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    },
    {
      ...common,
      kind: 'run_ended',
      reason: 'error',
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      steps: 1,
      error: { code: 'INTERNAL', message: 'card 4111111111111111' },
    },
    {
      ...common,
      kind: 'compacted',
      cause: 'threshold',
      upto: 4,
      summary: 'his SSN is 536-22-9871',
    },
  ] as unknown as readonly JournalEntry[] // ids are branded texts

  test.each(entries)(
    'keeps no number of a person in a $kind, and is not changed twice',
    (entry) => {
      const kept = journalEntry(entry, review, nobody)
      expect(JSON.stringify(kept)).not.toMatch(/1111|9871|7654/)
      expect(journalEntry(kept, review, nobody)).toEqual(kept)
    },
  )

  test('keeps what a person wrote as it is', () => {
    const entry = {
      ...common,
      kind: 'user_message',
      key: 'k',
      principal: 'me',
      text: 'SSN 536-22-9871',
      bundle: 'b',
    } as unknown as JournalEntry // the same
    expect(journalEntry(entry, review, nobody)).toEqual(entry)
  })
})

describe('the scanner', () => {
  test.each([
    ['4111 1111 1111 1111 12/28', ['4111 1111 1111 1111']],
    ['4111111111111112', []],
    ['IMEI 490154203237518', []],
    ['x4111111111111111', []],
    ['ssn,phone\n123456789,5550123456', ['123456789']],
    ['SSN 000-12-3456', []],
    ['the total of 123-45-6789-02', []],
    ['IBAN: de89370400440532013000', ['de89370400440532013000']],
    ['DE89370400440532013001', []],
    ['account number 12345678 and routing number 021000021', ['12345678', '021000021']],
    ['the account has 12345678 followers', []],
  ])('%j: %j', (text, found) => {
    expect(scan(text).map(({ start, end }) => text.slice(start, end))).toEqual(found)
  })

  test('takes no longer for a text made to be slow', { tags: 'speed' }, () => {
    const began = performance.now()
    for (const text of [
      '1 '.repeat(50_000),
      '1'.repeat(100_000),
      'account '.repeat(12_000),
      'DE12 '.repeat(20_000),
      'a,'.repeat(50_000) + '123456789',
      '123456789\n'.repeat(10_000),
      '4-4-'.repeat(25_000),
    ])
      scan(text)
    expect(performance.now() - began).toBeLessThan(LONG_MS)
  })

  test(
    'comes to an end where a text begins with an empty line, and reads a row once',
    { tags: 'speed' },
    () => {
      expect(scan('\nthe account\n12345678').map(({ kind }) => kind)).toEqual(['bank_account'])
      const began = performance.now()
      expect(scan(`\n${'123456789,'.repeat(50_000)} account`)).toEqual([])
      expect(performance.now() - began).toBeLessThan(LONG_MS)
    },
  )

  test('knows the head of a table that is longer than what is kept of a reply', () => {
    const table = `| Name | Account |\n|---|---|\n${Array.from({ length: 400 }, (_, n) => `| Somebody of the company | ${10_000_000 + n * 7_919} |`).join('\n')}\n`
    const out = new OutputStream(review, nobody)
    const sent =
      (table.match(/[^]{1,7}/g) ?? []).map((piece) => out.push(piece)).join('') + out.flush()
    expect(sent.match(/\[REDACTED\]/g)).toHaveLength(400)
    expect(sent).not.toMatch(/\d{8}/)
  })
})

describe('known values', () => {
  const finds = (
    value: Parameters<typeof redacted>[1] & { readonly value?: string },
    text: string,
  ): readonly string[] => {
    const known = new KnownValues()
    known.add([redacted(value.value ?? 'CUS-GV33-61RT', value)])
    return known.find(text).map(({ start, end }) => text.slice(start, end))
  }

  test('are found behind letters that are two units of a string each, and in their right place', () => {
    expect(finds({}, '𠮷𠮷𠮷𠮷 wrote CUS GV33 61RT.')).toEqual(['CUS GV33 61RT'])
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { chars, starts, ends } = normalise(text)
        expect([starts.length, ends.length]).toEqual([chars.length, chars.length])
        expect(
          starts.map((start, at) =>
            normalise(text.slice(start, ends[at])).chars.includes(chars.charAt(at)),
          ),
        ).not.toContain(false)
      }),
    )
  })

  test.each([
    ['key cus.gv33.61rt.', 'cus.gv33.61rt'],
    ['CUS-GV33-\n61RT', 'CUS-GV33-\n61RT'],
    ['"CUS-" + "GV33-61RT"', 'CUS-" + "GV33-61RT'],
    ['TR16-33VG-SUC', 'TR16-33VG-SUC'],
    ['&#67;US-GV33-61RT', '&#67;US-GV33-61RT'],
    ['/CUS%2DGV33%2D61RT/', 'CUS%2DGV33%2D61RT'],
  ])('are found in %j', (text, found) => {
    expect(finds({}, text)).toEqual([found])
  })

  test('are found where one sign stands for several letters, and the text is shorter than the value', () => {
    expect(finds({ value: 'office-4417' }, 'o\ufb03ce4417')).toEqual(['o\ufb03ce4417'])
    const out = new OutputStream(review, { redacted: [redacted('office-4417')], roles: [] })
    expect(out.push('o\ufb03ce4417') + out.flush()).not.toContain('4417')
  })

  test.each(['CUSGV3361RT44', 'XCUS-GV33-61RT', 'CUS-GV33-61RX', 'CUS GV33'])(
    'are not found in %j',
    (text) => {
      expect(finds({}, text)).toEqual([])
    },
  )

  test.each(['unknown', 'Not available', 'abc', 'true'])(
    'that say nothing, as %j, are not looked for',
    (value) => {
      expect(finds({ value, sensitivity: 'internal' }, `It is ${value}.`)).toEqual([])
    },
  )
})

test('a handle leaves in one piece, whatever it ends with', () => {
  for (const end of '0123456789abcdef') {
    const handle = `[redacted:contact.email:0a1b2c3${end}]`
    const out = new OutputStream(review, {
      redacted: ['178-92-2635', 'cafe-1234-x', 'bead-99-zz', 'fade-0001-y'].map((value) =>
        redacted(value),
      ),
      roles: [],
    })
    const pieces = [
      ...(`Write to ${handle}, she will answer.`.match(/[^]{1,4}/g) ?? []).map((piece) =>
        out.push(piece),
      ),
      out.flush(),
    ]
    expect(pieces.filter((piece) => piece.includes(handle))).toHaveLength(1)
  }
})

test('known values and pieces take no longer for a text made to be slow', { tags: 'speed' }, () => {
  const many = Array.from({ length: 2_000 }, (_, n) =>
    redacted(`person${n}.name${n * 7}@mail${n % 9}.example`),
  )
  const reader = { redacted: many, roles: [] }
  const began = process.threadCpuUsage()
  for (const text of [
    'person'.repeat(10_000),
    'a'.repeat(60_000),
    'QUJD'.repeat(15_000),
    '[['.repeat(20_000),
    '%41'.repeat(20_000),
    '61 '.repeat(20_000),
    '<a '.repeat(20_000) + 'http://x',
    'p e r s o n '.repeat(5_000),
  ]) {
    review.findings(text, reader)
    const out = new OutputStream(review, reader)
    for (let at = 0; at < text.length; at += 200) out.push(text.slice(at, at + 200))
    out.flush()
  }
  expect(process.threadCpuUsage(began).user).toBeLessThan(10_000_000) // µs
})

test('a text that takes more work than any text needs is withheld as a whole, and a reply cut', () => {
  const reader = { redacted: [redacted('a'.repeat(1_000))], roles: [] }
  const text = 'a '.repeat(30_000)
  expect(review.findings(text, reader)).toEqual([
    expect.objectContaining({
      start: 0,
      end: text.length,
      action: 'block',
      what: 'too much work to look at',
    }),
  ])
  const found: string[] = []
  const out = new OutputStream(
    new Review(settings.parse({ budget: 1_000_000, leaks: 'warn' })),
    reader,
    ({ what }) => {
      found.push(what)
    },
  )
  const sent =
    (text.match(/[^]{1,40}/g) ?? []).map((piece) => out.push(piece)).join('') + out.flush()
  expect(sent).toMatch(/it took too much work to look at\.\]$/)
  expect(found.at(-1)).toBe('too much work to look at')
  expect(out.blocked).toBe(true)
})

test('base64 that reads as text wherever one begins is not read over and over', () => {
  const nested = Array.from({ length: 3 }).reduce<string>(
    (said) =>
      Buffer.from(said)
        .toString('base64')
        .replaceAll(/.{8}(?=.)/g, '$&/AAA')
        .slice(0, 60_000),
    'plain words, '.repeat(2_000),
  )
  const effort = new Effort(1e9)
  review.findings(nested, { redacted: [redacted('planted-4417-note')], roles: [] }, effort)
  expect(effort.looked).toBeLessThan(nested.length * 40)
})

describe('links', () => {
  test.each<readonly [string, readonly string[]]>([
    ['](http://a.example[x](https://e.example/a)', ['https://e.example/a']],
    ['[a](https://e.example/b "it")', ['https://e.example/b']],
    ['[a] (https://e.example/c', []],
    ['![a](<https://e.example/d>)', ['https://e.example/d']],
    [
      '<img alt=x src=http://e.example/f><a href="http://e.example/g">',
      ['http://e.example/f', 'http://e.example/g'],
    ],
    ['src=http://x.example<img/src=http://e.example/h>', ['http://e.example/h']],
    ['x [1]: http://e.example/i', ['http://e.example/i']],
  ])('of %s: %j', (text, addresses) => {
    expect(linksIn(text).map(({ url }) => String(url))).toEqual(addresses)
  })

  test(
    'are as many as there are, in time that grows with the text alone',
    { tags: 'speed' },
    () => {
      const began = performance.now()
      for (const text of [
        'https://e.example/a '.repeat(45_000),
        '[a](https://e.example/a'.repeat(20_000),
        '<a href=http://e.example/a '.repeat(20_000),
        '](http://'.repeat(50_000),
        '[a](https://e.example/a "'.repeat(20_000),
      ])
        linksIn(text)
      expect(linksIn('https://e.example/a '.repeat(45_000))).toHaveLength(45_000)
      expect(performance.now() - began).toBeLessThan(8_000)
    },
  )

  test.each([
    ['![a](https://x.example/a.png)', false],
    ['![a](https://x.example/a.png?d=abcdefghij)', true],
    ['![a](https://x.example/abcdefghijklmnopqrstuvwxyz/a.png)', true],
    ['[a](https://x.example/docs?page=2)', false],
    ['<img src="https://x.example/?q=0123456789">', true],
    ['[1]: https://x.example/?q=0123456789', true],
    ['https://0123456789abcdef0123456789abcdef.x.example/', true],
    ['https://x.example/search?q=weather+in+paris', false],
  ])('%s carries data: %s', (text, carries) => {
    expect(linksIn(text).map(carriesData)).toEqual([carries])
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
    links: 'remove',
    hosts: [],
    image_hosts: [],
    budget: 100_000_000,
  } satisfies Record<string, Json>)
})

describe('a text that held nothing', () => {
  test('is looked at again once something else is withheld', () => {
    const known = new KnownValues()
    const text = 'Her number is 078-05-1121.'
    known.add([redacted('219-09-9999')])
    expect(known.find(text)).toEqual([])
    expect(known.touches(text)).toBe(false)
    known.add([redacted('078-05-1121')])
    expect(known.touches(text)).toBe(true)
    expect(known.find(text)).toHaveLength(1)
  })
})
