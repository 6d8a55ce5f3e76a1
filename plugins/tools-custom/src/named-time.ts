const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/**
 * `now`, `now_minus_1h`, `now_plus_7d`, also as `…_unix` (seconds) and `…_ms`; ISO 8601 otherwise.
 *
 * @param now ms since the epoch
 * @returns `undefined` where the name is none of these
 */
export function namedTime(name: string, now: number): string | number | undefined {
  const found = /^now(?:_(minus|plus)_(\d{1,6})([smhdw]))?(?:_(unix|ms))?$/.exec(name)
  if (!found) return undefined
  const [, direction, count = '0', unit, form] = found
  const distance = isUnit(unit) ? Number(count) * UNITS[unit] : 0
  const at = direction === 'minus' ? now - distance : now + distance
  if (form === 'unix') return Math.floor(at / 1_000)
  return form === 'ms' ? at : new Date(at).toISOString()
}

const isUnit = (unit: string | undefined): unit is keyof typeof UNITS =>
  unit !== undefined && Object.hasOwn(UNITS, unit)
