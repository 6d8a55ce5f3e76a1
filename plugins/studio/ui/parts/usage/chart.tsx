import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useShownTheme } from '../../model/shown-theme.ts'
import type { ChartData, ChartSeries } from './chart-data.ts'
import { bucketText } from './format.ts'
import { colorIn, optionsFor, plotted } from './plot-options.ts'

export interface ChartProps {
  readonly title: string
  /** What the picture says, for those who do not see it. */
  readonly description: string
  readonly data: ChartData
  readonly by: 'day' | 'hour'
  readonly kind: 'bars' | 'lines'
  readonly height: number
  /** Its values are whole numbers. */
  readonly isCount?: boolean
  readonly textOf: (value: number) => string
}

/** A chart with its legend, which shows the values of the bucket below the pointer. */
export function Chart(props: ChartProps): ReactNode {
  const { title, description, data, by, textOf } = props
  const [hovered, setHovered] = useState<number>()
  const at = hovered === undefined ? undefined : data.at[hovered]
  return (
    <figure className="chart">
      <figcaption>
        <h3>{title}</h3>
        <span className="muted">{at === undefined ? '' : bucketText(at, by)}</span>
      </figcaption>
      <Plot {...props} onHover={setHovered} label={`${title}. ${description}`} />
      <ul className="chart-legend">
        {data.series.map((one) => (
          <li key={one.label}>
            <i className={`swatch tone-${one.tone}`} data-dashed={one.isDashed === true} />
            <span>{one.label}</span>
            {hovered !== undefined && <b>{valueText(one, hovered, textOf)}</b>}
          </li>
        ))}
      </ul>
    </figure>
  )
}

function valueText(
  { values }: ChartSeries,
  bucket: number,
  textOf: (value: number) => string,
): string {
  const value = values[bucket]
  return value === null || value === undefined ? '–' : textOf(value)
}

function Plot({
  data,
  by,
  kind,
  height,
  isCount = false,
  textOf,
  label,
  onHover,
}: ChartProps & {
  readonly label: string
  readonly onHover: (bucket: number | undefined) => void
}): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(undefined)
  const theme = useShownTheme()
  const values = useMemo(() => plotted(data, kind), [data, kind])
  const latest = useRef(values)
  latest.current = values
  // A plot is drawn anew where its form changes, and filled where its numbers do.
  const form = JSON.stringify(data.series.map(({ label: name, tone }) => [name, tone]))
  const series = useRef(data.series)
  series.current = data.series
  useEffect(() => {
    const box = place.current
    if (!box) return
    const options = optionsFor({
      series: series.current,
      kind,
      by,
      isCount,
      textOf,
      onHover,
      size: { width: box.clientWidth, height },
      colorOf: (name) => colorIn(box, name),
    })
    const drawn = new UPlot(options, latest.current, box)
    plot.current = drawn
    const observer = new ResizeObserver(() =>
      drawn.setSize({ width: Math.max(1, box.clientWidth), height }),
    )
    observer.observe(box)
    return () => {
      observer.disconnect()
      plot.current = undefined
      drawn.destroy()
    }
  }, [form, theme, by, isCount, kind, height, textOf, onHover])
  useEffect(() => plot.current?.setData(values), [values])
  return <div ref={place} className="plot" role="img" aria-label={label} />
}
