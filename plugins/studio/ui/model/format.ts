const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** `12.3K`. */
export const compactText = (value: number): string => COMPACT.format(value)

/** Such as `84 ms`, `1.2 s`, `3.5 min`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 3_600_000) return `${(ms / 60_000).toFixed(1)} min`
  return `${(ms / 3_600_000).toFixed(1)} h`
}

/** Dollars, with as many digits as a small amount needs. */
export function costText(cost: number): string {
  if (cost === 0) return '$0'
  if (cost < 0.01) return `$${Number(cost.toPrecision(2))}`
  return `$${cost < 100 ? cost.toFixed(2) : WHOLE.format(cost)}`
}
