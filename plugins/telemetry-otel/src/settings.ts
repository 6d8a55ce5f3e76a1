import { z } from 'zod'
import { namesOf, SEMCONVS } from './names.ts'

const fields = z.strictObject({
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
  content: z
    .enum(['off', 'redacted'])
    .default('off')
    .describe(
      'What spans hold of messages, arguments and results: nothing, or what people are shown, without secrets and restricted values',
    ),
  contentChars: z
    .int()
    .min(100)
    .max(1_000_000)
    .default(8_000)
    .describe('Characters of each text, argument or result that `content` keeps'),
})

/** How runs are traced and measured. Variables (`OTEL_*`) count where a field is left out. */
export const settings = fields.refine(
  ({ content, semconv }) => content === 'off' || namesOf(semconv).content,
  {
    path: ['content'],
    message: 'conventions 1.36 have no attributes for contents: use `semconv` 1.41 or `latest`',
  },
)
export type Settings = z.output<typeof settings>
