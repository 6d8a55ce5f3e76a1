import { z } from 'zod'
import { SEMCONVS } from './names.ts'

/** How runs are traced and measured. Variables (`OTEL_*`) count where a field is left out. */
export const settings = z.strictObject({
  sdk: z
    .enum(['auto', 'own', 'host', 'off'])
    .default('auto')
    .describe(
      'Who exports: `own`, this plugin; `host`, the providers that the process has registered; `auto`: the host where it has one, this plugin where an endpoint is set; `off`: nothing is sent',
    ),
  endpoint: z
    .url()
    .optional()
    .describe('Base URL of an OTLP receiver; default: `OTEL_EXPORTER_OTLP_ENDPOINT`'),
  service: z
    .string()
    .min(1)
    .optional()
    .describe('`service.name`; default: `OTEL_SERVICE_NAME`, else the name of the agent'),
  semconv: z
    .enum(SEMCONVS)
    .default('latest')
    .describe('Version of the conventions for generative AI that names follow'),
  prometheus: z
    .boolean()
    .optional()
    .describe(
      'Serves metrics at `GET /metrics` as Prometheus reads them; default: only with `OTEL_METRICS_EXPORTER=prometheus`',
    ),
  ratio: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Share of traces that are recorded; default: `OTEL_TRACES_SAMPLER_ARG`, else 1'),
})
export type Settings = z.output<typeof settings>
