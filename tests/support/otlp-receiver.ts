import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'

const Value = z.looseObject({})
const Attribute = z.object({ key: z.string(), value: Value })
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.int(),
  attributes: z.array(Attribute).default([]),
  events: z.array(z.object({ name: z.string() })).default([]),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
  status: z.looseObject({ code: z.int().optional() }).optional(),
})
const Point = z.looseObject({ attributes: z.array(Attribute).default([]) })
const Points = z.looseObject({ dataPoints: z.array(Point) })
const Metric = z.object({
  name: z.string(),
  unit: z.string().optional(),
  sum: Points.optional(),
  gauge: Points.optional(),
  histogram: Points.optional(),
})
const Request = z.object({
  resourceSpans: z
    .array(z.looseObject({ scopeSpans: z.array(z.looseObject({ spans: z.array(Span) })) }))
    .default([]),
  resourceMetrics: z
    .array(z.looseObject({ scopeMetrics: z.array(z.looseObject({ metrics: z.array(Metric) })) }))
    .default([]),
})

export type ReceivedMetric = z.output<typeof Metric>

export type ReceivedSpan = Omit<z.output<typeof Span>, 'attributes'> & {
  readonly attributes: Readonly<Record<string, unknown>>
}

/** A receiver of the OpenTelemetry protocol, with JSON over HTTP. */
export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** Metrics of every export. */
  readonly metrics: readonly ReceivedMetric[]
  /** Everything that came, as text. */
  readonly text: string
  readonly headers: readonly IncomingHttpHeaders[]
  named(name: string): readonly ReceivedSpan[]
}

const plain = (value: z.output<typeof Value>): unknown => {
  const [[kind, content] = []] = Object.entries(value)
  if (kind !== 'arrayValue') return content
  const { values } = z.object({ values: z.array(Value) }).parse(content)
  return values.map(plain)
}

/**
 * @param answers `false`: it accepts connections and never responds
 * @param port default: a free one
 */
export async function startOtlpReceiver(answers = true, port = 0): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const metrics: ReceivedMetric[] = []
  const texts: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (!answers) return
      const body = Buffer.concat(chunks).toString()
      texts.push(`${request.url ?? ''}\n${body}`)
      headers.push(request.headers)
      const { resourceSpans, resourceMetrics } = Request.parse(JSON.parse(body))
      for (const { scopeMetrics } of resourceMetrics)
        metrics.push(...scopeMetrics.flatMap((one) => one.metrics))
      for (const { scopeSpans } of resourceSpans)
        for (const span of scopeSpans.flatMap((one) => one.spans))
          spans.push({
            ...span,
            attributes: Object.fromEntries(
              span.attributes.map(({ key, value }) => [key, plain(value)]),
            ),
          })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    spans,
    metrics,
    headers,
    get text() {
      return texts.join('\n')
    },
    named: (name) => spans.filter((span) => span.name === name),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
