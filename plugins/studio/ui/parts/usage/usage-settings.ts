import { USAGE_STRINGS } from '../../strings-usage.ts'

export const RANGES = ['24h', 'yesterday', '7d', '30d', '90d'] as const
export type Range = (typeof RANGES)[number]
export const GROUPS = ['model', 'agent', 'tool', 'principal', 'automation', 'profile'] as const
export type Group = (typeof GROUPS)[number]

const HOUR = 3_600_000
const DAY = 24 * HOUR
const LENGTHS: Readonly<Record<Range, number>> = {
  '24h': DAY,
  yesterday: DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
  '90d': 90 * DAY,
}
/** Up to so long, bars are hours. */
const BY_HOUR = 2 * DAY

/** What the view shows, as its address says it. */
export interface UsageSettings {
  readonly range: Range | 'own'
  /** Days of an own range, both in it: `2026-05-01`. */
  readonly from: string
  readonly to: string
  readonly group: Group
  /** Only runs with this. */
  readonly filters: readonly (readonly [Group, string])[]
}

const isDay = (text: string | null): text is string =>
  text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** @param now ms since the epoch */
export function settingsIn(query: string, now: number): UsageSettings {
  const parameters = new URLSearchParams(query)
  const [from, to] = [parameters.get('from'), parameters.get('to')]
  const isOwn = isDay(from)
  return {
    range: isOwn ? 'own' : (RANGES.find((one) => one === parameters.get('range')) ?? '30d'),
    from: isOwn ? from : dayOf(now - 6 * DAY),
    to: isDay(to) ? to : dayOf(now),
    group: GROUPS.find((one) => one === parameters.get('group')) ?? 'model',
    filters: GROUPS.flatMap((name) => {
      const value = parameters.get(name)
      return value === null || value === '' ? [] : [[name, value] as const]
    }),
  }
}

/** The query of the address. */
export function queryOf({ range, from, to, group, filters }: UsageSettings): string {
  const time: readonly [string, string][] =
    range === 'own'
      ? [
          ['from', from],
          ['to', to],
        ]
      : [['range', range]]
  const parameters = [...time, ['group', group], ...filters.map(([name, value]) => [name, value])]
  return new URLSearchParams(parameters.map(([name = '', value = '']) => [name, value])).toString()
}

/** The query of `GET /api/usage`; whole days, so that the first bar is no part of one. */
export function requestOf(settings: UsageSettings, now: number): string {
  const { range, group, filters } = settings
  const [from, to] = timesOf(settings, now)
  return new URLSearchParams([
    ['from', new Date(from).toISOString()],
    ['to', new Date(to).toISOString()],
    ['by', range === '24h' || to - from <= BY_HOUR ? 'hour' : 'day'],
    ['group', group],
    ...filters.map(([name, value]) => [name, value]),
  ]).toString()
}

function timesOf({ range, from, to }: UsageSettings, now: number): readonly [number, number] {
  if (range === 'own') return [Date.parse(from), Date.parse(to) + DAY]
  const step = range === '24h' ? HOUR : DAY
  const begun = Math.floor(now / step) * step
  const end = range === 'yesterday' ? begun : begun + step
  return [end - LENGTHS[range], end]
}

export const groupTitle = (group: Group): string => USAGE_STRINGS.groups[group]
