const counts = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const countText = (value: number): string => counts.format(value)
export const shortText = (value: number): string => short.format(value)

/** Dollars, with as many digits as a small amount needs. */
export function costText(value: number | null): string {
  if (value === null) return '–'
  if (value === 0) return '$0'
  if (value < 0.01) return `$${value.toPrecision(2)}`
  return `$${value < 100 ? value.toFixed(2) : counts.format(Math.round(value))}`
}

export function timeText(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${Math.round(ms / 60_000)} min`
}

const DAY = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
})
const HOUR = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
  timeZone: 'UTC',
})
export const bucketText = (at: number, by: 'day' | 'hour'): string =>
  by === 'day' ? DAY.format(at) : `${HOUR.format(at)} UTC`
