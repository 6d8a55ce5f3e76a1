import {
  DataPointType,
  type DataPoint,
  type Histogram,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics'

type Labels = Readonly<Record<string, unknown>>

/**
 * Metrics in the text format of Prometheus.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 * @see https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
 */
export function prometheusText({ resource, scopeMetrics }: ResourceMetrics): string {
  const families = scopeMetrics.flatMap(({ metrics }) => metrics.flatMap(family))
  const target = `# HELP target_info The process that serves these metrics\n# TYPE target_info gauge\n${line('target_info', resource.attributes, 1)}`
  return `${[target, ...families].join('\n')}\n`
}

/** The name of an instrument as Prometheus has it, with the suffix of its unit. */
export function prometheusName(name: string, unit: string, isCounter: boolean): string {
  const word = name.replaceAll(/[^a-zA-Z0-9_:]/g, '_')
  const withUnit = unit === 's' ? `${word}_seconds` : word
  return isCounter ? `${withUnit}_total` : withUnit
}

function family(metric: MetricData): readonly string[] {
  const { name, unit, description } = metric.descriptor
  const isCounter = metric.dataPointType === DataPointType.SUM && metric.isMonotonic
  const full = prometheusName(name, unit, isCounter)
  const head = (type: string): readonly string[] => [
    `# HELP ${full} ${description.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
    `# TYPE ${full} ${type}`,
  ]
  switch (metric.dataPointType) {
    case DataPointType.SUM:
    case DataPointType.GAUGE:
      return [
        ...head(isCounter ? 'counter' : 'gauge'),
        ...metric.dataPoints.map(({ attributes, value }) => line(full, attributes, value)),
      ]
    case DataPointType.HISTOGRAM:
      return [
        ...head('histogram'),
        ...metric.dataPoints.flatMap((point) => histogramLines(full, point)),
      ]
    case DataPointType.EXPONENTIAL_HISTOGRAM:
      return [] // no instrument of ours has one
  }
}

function histogramLines(
  name: string,
  { attributes, value: { buckets, count, sum = 0 } }: DataPoint<Histogram>,
): readonly string[] {
  let below = 0
  return [
    ...buckets.boundaries.map((bound, at) => {
      below += buckets.counts[at] ?? 0
      return line(`${name}_bucket`, { ...attributes, le: String(bound) }, below)
    }),
    line(`${name}_bucket`, { ...attributes, le: '+Inf' }, count),
    line(`${name}_sum`, attributes, sum),
    line(`${name}_count`, attributes, count),
  ]
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).flatMap(([label, content]) =>
    content === undefined
      ? []
      : [
          `${label.replaceAll(/[^a-zA-Z0-9_]/g, '_')}="${escaped(typeof content === 'string' ? content : JSON.stringify(content))}"`,
        ],
  )
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
