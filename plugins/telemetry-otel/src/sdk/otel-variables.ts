import { err, failure, ok, type Failure, type Result, type Secrets } from '@amodal/sdk'
import type { Settings } from '../settings.ts'

export type Signal = 'traces' | 'metrics'

/** Where the data of a signal is sent. */
export interface ExportSettings {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: 'http/protobuf' | 'http/json'
  readonly timeoutMs: number
}

type Read = (name: string) => string | undefined

const bad = (message: string): Result<never, Failure> => err(failure('BAD_CONFIG', message))

/** Whether the variable that turns the SDK off is set. */
export const isDisabled = (secrets: Secrets): boolean =>
  secrets.get('OTEL_SDK_DISABLED')?.toLowerCase() === 'true'

/** Names in `OTEL_TRACES_EXPORTER` or `OTEL_METRICS_EXPORTER`; `otlp` where it is not set. */
export function exportersOf(signal: Signal, read: Read): readonly string[] {
  const names = read(`OTEL_${signal.toUpperCase()}_EXPORTER`)?.trim().toLowerCase() ?? ''
  return names === '' ? ['otlp'] : names.split(',').map((name) => name.trim())
}

/** The address for a signal; `undefined` where none is set. */
export function endpointOf({ endpoint }: Settings, read: Read, signal: Signal): string | undefined {
  // The variable of one signal is taken as it is; the general one gets the path of the signal.
  const own = read(`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`)
  if (own !== undefined && own !== '') return own
  const base = endpoint ?? read('OTEL_EXPORTER_OTLP_ENDPOINT')
  return base === undefined || base === '' ? undefined : `${base.replace(/\/+$/, '')}/v1/${signal}`
}

/**
 * Reads the variables of the OpenTelemetry specification.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function exportSettings(
  settings: Settings,
  read: Read,
  signal: Signal,
): Result<ExportSettings, Failure> {
  const variable = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}`
  const url = endpointOf(settings, read, signal)
  if (url === undefined)
    return bad(
      `no address for ${signal}: set OTEL_EXPORTER_OTLP_ENDPOINT, or \`endpoint\` of telemetry-otel`,
    )
  if (!URL.canParse(url)) return bad(`"${url}" is no URL: correct OTEL_EXPORTER_OTLP_ENDPOINT`)
  const protocol =
    read(`${variable}_PROTOCOL`) ?? read('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf'
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    return bad(
      `OTEL_EXPORTER_OTLP_PROTOCOL is "${protocol}": only http/protobuf and http/json are supported`,
    )
  return ok({
    url,
    protocol,
    headers: {
      ...pairs(read('OTEL_EXPORTER_OTLP_HEADERS')),
      ...pairs(read(`${variable}_HEADERS`)),
    },
    timeoutMs: Number(read('OTEL_EXPORTER_OTLP_TIMEOUT') ?? '') || 10_000,
  })
}

export type ResourceAttributes = Readonly<Record<string, string | Promise<string>>>

/**
 * `service.name` and the other attributes of everything that this process sends.
 *
 * @param agent name of the agent, once its files are read
 */
export const resourceAttributes = (
  { service }: Settings,
  read: Read,
  agent: Promise<string>,
): ResourceAttributes => ({
  ...pairs(read('OTEL_RESOURCE_ATTRIBUTES')),
  'service.name': service ?? read('OTEL_SERVICE_NAME') ?? agent,
})

/** ms between two exports of metrics. */
export function intervalOf(read: Read): Result<number, Failure> {
  const text = read('OTEL_METRIC_EXPORT_INTERVAL') ?? ''
  const ms = text === '' ? 60_000 : Number(text)
  return Number.isFinite(ms) && ms > 0
    ? ok(ms)
    : bad(`OTEL_METRIC_EXPORT_INTERVAL is "${text}": use a number of milliseconds above 0`)
}

/** Share of traces that are recorded. */
export function ratioOf({ ratio }: Settings, read: Read): Result<number, Failure> {
  if (ratio !== undefined) return ok(ratio)
  const sampler = read('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  if (sampler.endsWith('always_on')) return ok(1)
  if (sampler.endsWith('always_off')) return ok(0)
  const share = Number(read('OTEL_TRACES_SAMPLER_ARG') ?? '1')
  return sampler.endsWith('traceidratio') && share >= 0 && share <= 1
    ? ok(share)
    : bad(
        `OTEL_TRACES_SAMPLER is "${sampler}" with OTEL_TRACES_SAMPLER_ARG "${read('OTEL_TRACES_SAMPLER_ARG') ?? ''}": use always_on, always_off or traceidratio, with parentbased_ or without, and a share from 0 to 1`,
      )
}

/** `key=value,key=value` with percent-encoded values; parts that are none are ignored. */
function pairs(text = ''): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(',').flatMap((part) => {
      const at = part.indexOf('=')
      const name = part.slice(0, at).trim()
      return at > 0 && name !== '' ? [[name, decoded(part.slice(at + 1).trim())] as const] : []
    }),
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
