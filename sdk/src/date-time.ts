/** A day, or a time of a day, with or without its offset. */
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/**
 * Parses a date and time as stores keep them. Without an offset it is UTC. Every accepted text can
 * be compared by any database, so days and offsets that do not exist are refused.
 *
 * @returns ms since the epoch, `undefined` where the text is no date and time
 * @example
 * parseDateTime('2026-03-26T09:14:00+01:00') // 1774512840000
 * parseDateTime('2026-02-30') // undefined
 * @see ISO 8601-1:2019, RFC 3339
 */
export function parseDateTime(text: string): number | undefined {
  const match = DATE_TIME.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    // the pattern has six of them
    .map((part: string | undefined) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const offset = offsetOf(match[8] ?? 'Z')
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isDay = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  const isTime = hour <= 23 && minute <= 59 && second <= 59
  if (!isDay || !isTime || offset === undefined) return undefined
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  return date.setUTCHours(hour, minute, second, ms) - offset
}

/** ms; at most 14 hours and 59 minutes. */
function offsetOf(text: string): number | undefined {
  if (text === 'Z') return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(-2))]
  return hours <= 14 && minutes <= 59
    ? (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
    : undefined
}
