import { OutputStream, Review, settings } from '@amodal/plugin-guard-output'
import type { RunContext, RedactedValue } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { isWhole } from '../../support/random.ts'
import { TEXTS } from './texts.ts'

const SIZES = isWhole() ? ([32_768, 1_048_576] as const) : ([16_384, 65_536] as const)
const SMALL = 1_024
const PIECES = [1, 12, 4_000]
const SAMPLE: ReadonlySet<string> = new Set([
  'words',
  'digits with dashes',
  'dates',
  'addresses',
  'cards',
  'tags',
  'escapes',
  'base64 in groups',
])
const texts = Object.entries(TEXTS).filter(([kind]) => isWhole() || SAMPLE.has(kind))

const known: readonly RedactedValue[] = [
  'CUS-GV33-61RT',
  'maria@desk.example',
  '078-05-1120',
  ...Array.from({ length: 50 }, (_, n) => `person${n}.name${n * 7}@mail${n % 9}.example`),
].map((value) => ({
  value,
  entity: 'Contact',
  field: 'key',
  policy: 'retrieve_but_redact',
  sensitivity: 'pii_identifier',
  connection: 'crm',
}))
const bundle = {
  manifest: { raw: {} },
  skills: [],
  knowledge: [],
  stores: [],
  files: [],
  parts: {},
} as unknown as RunContext['bundle'] // all that links are judged by
const reader = { redacted: known, roles: [], bundle, messages: [] }

/**
 * Processor time is counted in ticks of up to 10 ms: what is shorter than many of them reads as
 * nothing.
 */
const MEASURED = 60_000 // µs

/** Nanoseconds of this thread for each character, over as many repetitions as can be measured. */
function time(text: string, work: () => unknown): number {
  const before = process.threadCpuUsage()
  for (let times = 1; ; times++) {
    work()
    const { user, system } = process.threadCpuUsage(before)
    if (user + system >= MEASURED) return ((user + system) * 1_000) / text.length / times
  }
}

/** How often each character is looked at. */
function streamed(text: string, size: number): number {
  const out = new OutputStream(new Review(settings.parse({ budget: 1_000_000_000 })), reader)
  for (let at = 0; at < text.length; at += size) out.push(text.slice(at, at + size))
  out.flush()
  expect(out.blocked).toBe(false)
  return out.looked / text.length
}
const whole = (text: string): unknown => new Review(settings.parse({})).findings(text, reader)

/**
 * The same work for each character in a longer text; but for what is looked at once more at its
 * end.
 */
const MOST_GROWTH = 1.2
/** Of ordinary texts each is looked at 2 to 15 times; places of known values count for more. */
const MOST_LOOKED = 120
/**
 * Of time: other programs run on the same processor. A quadratic step is four or thirty times as
 * much.
 */
const MOST_SLOWER = isWhole() ? 4 : 2.5
const TRIES = 5

/** Whether it is so at least once: what somebody else's work adds comes and goes. */
function holdsOnce(measure: () => readonly [short: number, long: number]): void {
  const seen: number[] = []
  for (let tried = 0; tried < TRIES; tried++) {
    const [short, long] = measure()
    seen.push(long / short)
    if (long <= short * MOST_SLOWER) return
  }
  expect(Math.min(...seen)).toBeLessThanOrEqual(MOST_SLOWER)
}

describe.each(texts)('the work for each character of %s', (_kind, make) => {
  const [short, long] = [make(SIZES[0]), make(SIZES[1])]

  test.each(PIECES)('is the same in a longer reply, in pieces of %d', (size) => {
    const [tiny, one, other] = [
      streamed(make(SMALL), size),
      streamed(short, size),
      streamed(long, size),
    ]
    // how full the last piece is makes a difference to the shorter ones
    expect(other).toBeLessThanOrEqual(Math.max(tiny, one) * MOST_GROWTH)
    expect(Math.max(tiny, one, other)).toBeLessThanOrEqual(MOST_LOOKED)
    holdsOnce(() => [
      time(short, () => streamed(short, size)),
      time(long, () => streamed(long, size)),
    ])
  })

  test('is the same in a longer text that is looked at as a whole', () => {
    holdsOnce(() => [time(short, () => whole(short)), time(long, () => whole(long))])
  })
})
