import UPlot, { type AlignedData, type Options, type Series } from 'uplot'
import type { ChartData, ChartSeries } from './chart-data.ts'

const SECOND = 1_000
const WIDTHS = { hour: 3_600, day: 86_400 } as const
/** Steps of the axes: no day is named twice, and what is counted has no halves. */
const STEPS = {
  hour: [1, 2, 3, 4, 6, 12, 24].map((hours) => hours * WIDTHS.hour),
  day: [1, 2, 3, 4, 7, 14, 28].map((days) => days * WIDTHS.day),
  counts: Array.from({ length: 13 }, (_, power) =>
    [1, 2, 5].map((step) => step * 10 ** power),
  ).flat(),
} as const
const FONT = "12px 'Inter Variable', system-ui, sans-serif"
/** Share of its place that a bar fills, and its width at most. */
const BAR: [number, number] = [0.72, 36]

interface Plotting {
  readonly series: readonly ChartSeries[]
  readonly kind: 'bars' | 'lines'
  readonly by: 'day' | 'hour'
  /** Of what is counted. */
  readonly isCount: boolean
  readonly textOf: (value: number) => string
  readonly onHover: (bucket: number | undefined) => void
  readonly size: { readonly width: number; readonly height: number }
  readonly colorOf: (name: string) => string
}

/** Buckets up to which each value of a line has a point. */
const MOST_POINTS = 62

/** A colour as the theme on the screen has it: a canvas knows no variables. */
export function colorIn(box: HTMLElement, name: string): string {
  const probe = document.createElement('i')
  probe.className = `probe-${name}`
  box.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Bars stand on each other: the highest sum is drawn first. */
export function plotted({ at, series }: ChartData, kind: 'bars' | 'lines'): AlignedData {
  const times = at.map((time) => time / SECOND)
  if (kind === 'lines') return [times, ...series.map(({ values }) => [...values])]
  const sums = at.map(() => 0)
  const stacked = series.map(({ values }) =>
    values.map((value, bucket) => {
      sums[bucket] = (sums[bucket] ?? 0) + (value ?? 0)
      return sums[bucket]
    }),
  )
  return [times, ...stacked.toReversed()]
}

export function optionsFor(plotting: Plotting): Options {
  const { by, colorOf, isCount, kind, onHover, series, size, textOf } = plotting
  const half = WIDTHS[by] / 2
  const drawn = kind === 'bars' ? series.toReversed() : series
  const [grid, text] = [colorOf('line'), colorOf('muted')]
  return {
    ...size,
    padding: [8, 8, 0, 0],
    tzDate: (time) => UPlot.tzDate(new Date(time * SECOND), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    scales: {
      x: { time: true, range: (_, least, most) => [least - half, most + half] },
      y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] },
    },
    axes: [
      {
        stroke: text,
        font: FONT,
        size: 28,
        gap: 6,
        space: 64,
        incrs: [...STEPS[by]],
        grid: { show: false },
        ticks: { show: false },
        values: (_, splits) => splits.map((split) => axisText(split, by)),
      },
      {
        stroke: text,
        font: FONT,
        size: 58,
        gap: 6,
        space: 36,
        ...(isCount && { incrs: [...STEPS.counts] }),
        grid: { stroke: grid, width: 1 },
        ticks: { show: false },
        values: (_, splits) => splits.map((split) => (split === 0 ? '0' : textOf(split))),
      },
    ],
    series: [{}, ...drawn.map((one) => seriesFor(one, kind, colorOf))],
    hooks: {
      setCursor: [({ cursor }) => onHover(cursor.idx ?? undefined)],
    },
  }
}

function seriesFor(
  { label, tone, values, isDashed = false }: ChartSeries,
  kind: 'bars' | 'lines',
  colorOf: (name: string) => string,
): Series {
  const color = colorOf(`tone-${tone}`)
  if (kind === 'lines')
    return {
      label,
      stroke: color,
      width: 2,
      spanGaps: true,
      points: { show: values.length <= MOST_POINTS, size: 5, fill: color },
      ...(isDashed && { dash: [5, 4] }),
    }
  const bars = UPlot.paths.bars?.({ size: BAR })
  return {
    label,
    stroke: color,
    fill: color,
    width: 0,
    points: { show: false },
    ...(bars && { paths: bars }),
  }
}

const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const HOUR = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
  timeZone: 'UTC',
})

const axisText = (seconds: number, by: 'day' | 'hour'): string =>
  (by === 'day' ? DAY : HOUR).format(seconds * SECOND)
