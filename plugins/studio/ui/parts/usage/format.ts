import { costText as costOf, durationText } from '../../model/format.ts'

const counts = new Intl.NumberFormat('en')

export const countText = (value: number): string => counts.format(value)

const UNKNOWN = '–'

export const costText = (cost: number | null): string => (cost === null ? UNKNOWN : costOf(cost))

export const timeText = (ms: number | null): string => (ms === null ? UNKNOWN : durationText(ms))

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
