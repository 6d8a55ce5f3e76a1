/** A day, or a point in time, as calls are given it. */
export const DAY = /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}.*)?$/
export const TIME = /^(\d{1,2}):\d{2}(?::\d{2})?$/
const LOCALES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt'] as const

/**
 * Days and hours that a text names, however it names them: tomorrow, next Friday, am 5. März um 12
 * Uhr.
 */
export interface Moments {
  readonly days: ReadonlySet<string>
  readonly hours: ReadonlySet<number>
}

/** @param now ms since 1970; from here on `tomorrow` is counted */
export async function momentsIn(texts: readonly string[], now: number): Promise<Moments> {
  // Most calls hold no date, and it is a large library.
  const chrono = await import('chrono-node')
  const days = new Set<string>([dayOf(new Date(now))])
  const hours = new Set<number>()
  const take = (components: {
    readonly date: () => Date
    readonly isCertain: (part: 'hour') => boolean
    readonly get: (part: 'year' | 'month' | 'day' | 'hour') => number | null
  }): void => {
    days.add(
      [components.get('year'), components.get('month'), components.get('day')]
        .map((part) => String(part ?? 0).padStart(2, '0'))
        .join('-'),
    )
    if (components.isCertain('hour')) hours.add(components.get('hour') ?? 0)
  }
  for (const text of texts) {
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
  return { days, hours }
}

const dayOf = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')

/**
 * Whether a value that is a day or a time of day is one of these; an hour later is where it ends.
 */
export function isMeant(value: string, { days, hours }: Moments): boolean {
  const [, day] = DAY.exec(value) ?? []
  if (day !== undefined) return days.has(day)
  const [, hour] = TIME.exec(value) ?? []
  return hour !== undefined && (hours.has(Number(hour)) || hours.has(Number(hour) - 1))
}
