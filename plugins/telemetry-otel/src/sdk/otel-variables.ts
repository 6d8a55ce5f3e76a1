import { err, failure, ok, type Failure, type Result, type Secrets } from '@amodal/sdk'
import type { Settings } from '../settings.ts'

/** Where spans are sent, and which are recorded. */
export interface ExportSettings {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: 'http/protobuf' | 'http/json'
  readonly timeoutMs: number
  readonly ratio: number
  readonly service: string | undefined
  readonly attributes: Readonly<Record<string, string>>
}

type Read = (name: string) => string | undefined

const bad = (message: string): Result<never, Failure> => err(failure('BAD_CONFIG', message))

/** Whether the variable that turns the SDK off is set. */
export const isDisabled = (secrets: Secrets): boolean =>
  secrets.get('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' ||
  secrets.get('OTEL_TRACES_EXPORTER')?.toLowerCase() === 'none'

/** The address for traces; `undefined` where none is set. */
export function endpointOf({ endpoint }: Settings, read: Read): string | undefined {
  // The variable of one signal is taken as it is; the general one gets the path of the signal.
  const own = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  if (own !== undefined && own !== '') return own
  const base = endpoint ?? read('OTEL_EXPORTER_OTLP_ENDPOINT')
  return base === undefined || base === '' ? undefined : `${base.replace(/\/+$/, '')}/v1/traces`
}

/**
 * Reads the variables of the OpenTelemetry specification.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function exportSettings(settings: Settings, read: Read): Result<ExportSettings, Failure> {
  const url = endpointOf(settings, read)
  if (url === undefined)
    return bad(
      'no address for traces: set OTEL_EXPORTER_OTLP_ENDPOINT, or `endpoint` of telemetry-otel',
    )
  if (!URL.canParse(url)) return bad(`"${url}" is no URL: correct OTEL_EXPORTER_OTLP_ENDPOINT`)
  const protocol =
    read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ??
    read('OTEL_EXPORTER_OTLP_PROTOCOL') ??
    'http/protobuf'
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    return bad(
      `OTEL_EXPORTER_OTLP_PROTOCOL is "${protocol}": only http/protobuf and http/json are supported`,
    )
  const ratio = ratioOf(settings, read)
  if (!ratio.ok) return ratio
  return ok({
    url,
    protocol,
    headers: {
      ...pairs(read('OTEL_EXPORTER_OTLP_HEADERS')),
      ...pairs(read('OTEL_EXPORTER_OTLP_TRACES_HEADERS')),
    },
    timeoutMs: Number(read('OTEL_EXPORTER_OTLP_TIMEOUT') ?? '') || 10_000,
    ratio: ratio.value,
    service: settings.service ?? read('OTEL_SERVICE_NAME'),
    attributes: pairs(read('OTEL_RESOURCE_ATTRIBUTES')),
  })
}

function ratioOf({ ratio }: Settings, read: Read): Result<number, Failure> {
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
