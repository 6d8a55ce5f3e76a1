const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' })

/** How long ago it was, in a word or two; a date where it is longer than a week. */
export function ago(iso: string, now = Date.now()): string {
  const ms = Math.max(0, now - Date.parse(iso))
  if (ms > 7 * 86_400_000)
    return new Date(iso).toLocaleDateString('en', { day: 'numeric', month: 'short' })
  const [unit, length] = UNITS.find(([, size]) => ms >= size) ?? []
  return unit === undefined || length === undefined
    ? 'now'
    : words.format(-Math.floor(ms / length), unit)
}
