import { normal } from '../normal.ts'
import { hoursIn, isHour, type Hours } from './hour.ts'

/** A day, or a point in time, as calls are given it. */
export const DAY = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2}).*)?$/
export const TIME = /^(\d{1,2}):(\d{2})(?::\d{2})?$/
const LOCALES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'ja'] as const

/**
 * Days and hours that a text names, however it names them: tomorrow, next Friday, am 5. März um 12
 * Uhr.
 */
export interface Moments {
  readonly days: ReadonlySet<string>
  readonly hours: Hours
}

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'weekday' | 'meridiem'
interface Components {
  readonly isCertain: (part: Part) => boolean
  readonly get: (part: Part) => number | null
}

/** @param now ms since 1970; from here on `tomorrow` is counted */
export async function momentsIn(texts: readonly string[], now: number): Promise<Moments> {
  // Most calls hold no date, and it is a large library.
  const chrono = await import('chrono-node')
  const days = new Set<string>([dayOf(new Date(now))])
  const minutes = new Set<number>()
  const take = (one: Components): void => {
    // An hour alone is of no day but today.
    if (!one.isCertain('hour') || DAYS.some((part) => one.isCertain(part))) days.add(dayIn(one))
    if (!one.isCertain('hour')) return
    const hour = one.get('hour') ?? 0
    const minute = one.get('minute') ?? 0
    minutes.add(hour * 60 + minute)
    if (!one.isCertain('meridiem') && hour < 12) minutes.add((hour + 12) * 60 + minute)
  }
  const read = hoursIn(texts.map(normal).join('\n'))
  for (const text of texts.map(inEnglish)) {
    for (const [found = ''] of text.matchAll(/\d{4}-\d{2}-\d{2}/g)) days.add(found)
    for (const locale of LOCALES) {
      for (const { start, end } of chrono[locale].parse(text.slice(0, 20_000), new Date(now), {
        forwardDate: true,
      })) {
        take(start)
        if (end) take(end)
      }
    }
  }
  return {
    days,
    hours: { minutes: read.minutes.size > 0 ? read.minutes : minutes, lengths: read.lengths },
  }
}

/** Days that the library has no words for. */
const inEnglish = (text: string): string =>
  text
    .replace(/(?<!\p{L})jutro(?!\p{L})/giu, 'tomorrow')
    .replace(/(?<!\p{L})pojutrze(?!\p{L})/giu, 'in 2 days')
    .replace(/(?<!\p{L})domani(?!\p{L})/giu, 'tomorrow')

const DAYS = ['day', 'weekday', 'month'] as const

const dayIn = (components: Components): string =>
  [components.get('year'), components.get('month'), components.get('day')]
    .map((part) => String(part ?? 0).padStart(2, '0'))
    .join('-')

const dayOf = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')

/**
 * Whether a value that is a day or a time of day is one of these. Where nobody spoke of an hour,
 * any is as good; with a time zone it may be written as it was said, or as the server's.
 */
export function isMeant(value: string, name: string, { days, hours }: Moments): boolean {
  const [, day, hour, minute] = DAY.exec(value) ?? []
  const isAny = hours.minutes.size === 0
  if (day === undefined) {
    const [, clock, past] = TIME.exec(value) ?? []
    return clock !== undefined && isHour(Number(clock) * 60 + Number(past), name, hours)
  }
  const isThen = (on: string, at: number): boolean =>
    days.has(on) && (isAny || isHour(at, name, hours))
  if (hour === undefined) return days.has(day)
  if (isThen(day, Number(hour) * 60 + Number(minute))) return true
  const local = /(?:Z|[+-]\d{2}:?\d{2})$/.test(value) ? new Date(value) : undefined
  return local !== undefined && isThen(dayOf(local), local.getHours() * 60 + local.getMinutes())
}
