import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Automation } from '../src/definition.ts'
import { dueTimes } from '../src/planner.ts'
import { parseSchedule, type Schedule } from '../src/schedule.ts'

const MINUTE = 60_000
const at = (text: string): number => Date.parse(text)

function rule(expression: string, timezone = 'UTC'): Schedule {
  const parsed = parseSchedule(expression, timezone)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}
const due = (expression: string, zone: string, from: string, to: string): readonly string[] =>
  rule(expression, zone)
    .between(at(from), at(to), 100)
    .map((time) => new Date(time).toISOString().slice(0, 16))

describe('a schedule on the day when the clock goes forward', () => {
  test.each([
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    [
      'America/New_York',
      '30 2 * * *',
      '2026-03-07T12:00Z',
      ['2026-03-08T07:00', '2026-03-09T06:30'],
    ],
    [
      'Australia/Lord_Howe',
      '15 2 * * *',
      '2026-10-03T00:00Z',
      ['2026-10-03T15:30', '2026-10-04T15:15'],
    ],
  ])('in %s is due once, right after the gap', (zone, expression, from, wanted) => {
    const to = new Date(at(from) + 2 * 86_400_000).toISOString()
    expect(due(expression, zone, from, to)).toEqual(wanted)
  })
})

describe('a schedule on the day when the clock goes back', () => {
  test.each([
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    [
      'America/New_York',
      '30 1 * * *',
      '2026-10-31T12:00Z',
      ['2026-11-01T05:30', '2026-11-02T06:30'],
    ],
    [
      'Australia/Lord_Howe',
      '45 1 * * *',
      '2026-04-04T00:00Z',
      ['2026-04-04T14:45', '2026-04-05T15:15'],
    ],
  ])('in %s is due once, not twice', (zone, expression, from, wanted) => {
    const to = new Date(at(from) + 2 * 86_400_000).toISOString()
    expect(due(expression, zone, from, to)).toEqual(wanted)
  })

  test('goes by elapsed time where it repeats within the hour', () => {
    expect(due('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:59Z', '2026-10-25T02:00Z')).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
    ])
  })
})

test('a leap day is due in leap years only', () => {
  expect(due('0 9 29 2 *', 'UTC', '2026-01-01T00:00Z', '2033-01-01T00:00Z')).toEqual([
    '2028-02-29T09:00',
    '2032-02-29T09:00',
  ])
})

test.each([
  ['* * * *', 'UTC', 'five fields'],
  ['*/5 * * * * *', 'UTC', 'five fields'],
  ['2026-12-01T00:00:00', 'UTC', 'five fields'],
  ['61 * * * *', 'UTC', 'minute'],
  ['0 9 * * mon-frx', 'UTC', ''],
  ['0 0 30 2 *', 'UTC', 'a date that never comes'],
  ['0 9 * * *', 'Mars/Base', 'no time zone "Mars/Base"'],
])('"%s" in %s is refused', (expression, zone, why) => {
  const parsed = parseSchedule(expression, zone)
  expect(parsed.ok).toBe(false)
  expect(!parsed.ok && parsed.error).toContain(why)
})

/** Local minute and hour of an instant, by the runtime's own calendar. */
function wallClock(time: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(
    time,
  )
}

test('every due time stands on the wall clock where its rule says, but in a gap', () => {
  const zone = fc.constantFrom(
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
  )
  const minute = fc.integer({ min: 0, max: 59 })
  const hour = fc.integer({ min: 4, max: 23 })
  const from = fc.integer({ min: at('2025-01-01T00:00Z'), max: at('2030-01-01T00:00Z') })
  fc.assert(
    fc.property(zone, minute, hour, from, (timezone, m, h, start) => {
      const wanted = `${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`
      const times = rule(`${m} ${h} * * *`, timezone).between(start, start + 5 * 86_400_000, 10)
      expect(times.length).toBeGreaterThanOrEqual(4)
      for (const time of times) expect(wallClock(time, timezone)).toBe(wanted)
    }),
    { numRuns: 200 },
  )
})

describe('due times of which some were missed', () => {
  const planned = (catchUp: Automation['catchUp'], cursor: string) => ({
    schedule: rule('0 * * * *'),
    cursor: at(cursor),
    automation: { catchUp } as Automation, // the rest of it is not asked
  })
  const runs = (catchUp: Automation['catchUp'], now: string): readonly string[] =>
    dueTimes(planned(catchUp, '2026-05-01T08:30Z'), at(now), MINUTE).map((time) =>
      new Date(time).toISOString().slice(11, 16),
    )

  test('run all, the last, or none, as the file says', () => {
    expect(runs('all', '2026-05-01T11:30Z')).toEqual(['09:00', '10:00', '11:00'])
    expect(runs('last', '2026-05-01T11:30Z')).toEqual(['11:00'])
    expect(runs('none', '2026-05-01T11:30Z')).toEqual([])
  })

  test('run where the newest has just come', () => {
    expect(runs('last', '2026-05-01T11:00Z')).toEqual(['11:00'])
    expect(runs('none', '2026-05-01T11:00Z')).toEqual(['11:00'])
  })

  test('are not due again after the clock was turned back', () => {
    expect(runs('all', '2026-05-01T08:00Z')).toEqual([])
  })
})
