/** A day, or a time of a day, with or without its offset. */
const MOMENT =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/**
 * Reads a date and time as stores keep them. What has no offset is UTC. Every text that is one can
 * be compared by any database, so days that no calendar has and offsets that no place has are none.
 *
 * @returns ms since the epoch, `undefined` where the text is no date and time
 * @example
 * momentOf('2026-03-26T09:14:00+01:00') // 1774512840000
 * momentOf('2026-02-30') // undefined
 * @see ISO 8601-1:2019, RFC 3339
 */
export function momentOf(text: string): number | undefined {
  const match = MOMENT.exec(text)
  if (!match) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part: string | undefined) => Number(part ?? 0))
  const offset = offsetOf(match[8] ?? 'Z')
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (
    year < 1 ||
    date.getUTCMonth() !== month - 1 ||
    date.getUTCDate() !== day ||
    hour > 23 ||
    minute > 59 ||
    second > 59 ||
    offset === undefined
  )
    return undefined
  return (
    date.setUTCHours(hour, minute, second, Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))) -
    offset
  )
}

/** ms; at most 14 hours and 59 minutes. */
function offsetOf(text: string): number | undefined {
  if (text === 'Z') return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(-2))]
  return hours <= 14 && minutes <= 59
    ? (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
    : undefined
}
