import { z } from 'zod'
import { SCHEMES } from './definition.ts'

const text = z.string().trim().min(1)
const reference = z.string().refine((value) => /^env:[A-Za-z_]\w*$/.test(value), {
  message: 'must name a variable: a secret does not stand in a file',
  params: { fix: 'write "env:NAME", and set NAME in the environment or in .env' },
})
const address = z
  .string()
  .refine(
    (value) => value.startsWith('env:') || /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
    {
      message: 'is no address',
      params: { fix: 'write "env:NAME", or an address that begins with https://' },
    },
  )

export const target = z.discriminatedUnion('type', [
  z.object({ type: z.literal('webhook'), url: address, secret: reference.exactOptional() }),
  z.object({ type: z.literal('callback'), name: text.exactOptional() }),
])
const targets = z.array(target).min(1).max(20)

/** The fields of `automations/<name>.json`. */
export const shape = z.object({
  title: text.exactOptional(),
  prompt: text.max(100_000),
  schedule: text.exactOptional(),
  trigger: z.enum(['cron', 'webhook', 'manual']).exactOptional(),
  timezone: text.default('UTC'),
  delivery: z
    .object({
      targets,
      template: text.exactOptional(),
      order: z.enum(['none', 'target']).default('none'),
    })
    .exactOptional(),
  failureAlert: z
    .object({
      after: z.int().min(1).default(1),
      cooldownMinutes: z.number().min(0).default(60),
      targets,
    })
    .exactOptional(),
  writeEnabled: z.boolean().default(false),
  approvals: z.enum(['wait', 'refuse']).default('wait'),
  webhookAuth: z
    .object({
      type: z.enum(SCHEMES),
      secret: z.union([reference, z.array(reference).min(1).max(2)]),
      header: text.exactOptional(),
      prefix: z.string().exactOptional(),
      encoding: z.enum(['hex', 'base64']).exactOptional(),
      idHeader: text.exactOptional(),
    })
    .exactOptional(),
  overlap: z.enum(['skip', 'queue', 'parallel']).exactOptional(),
  catchUp: z.enum(['none', 'last', 'all']).default('last'),
  whilePaused: z.enum(['hold', 'drop']).default('hold'),
  holdHours: z.int().min(1).max(8_760).default(72),
  deadline: z.int().min(1).max(86_400).exactOptional(),
  role: text.default('automation'),
})

/** Names that are read at each place of a file; `*` stands for a number. */
export const KNOWN: readonly (readonly [path: readonly string[], names: readonly string[]])[] = [
  [[], ['$schema', ...Object.keys(shape.shape)]],
  [['delivery'], ['targets', 'template', 'order']],
  [
    ['delivery', 'targets', '*'],
    ['type', 'url', 'secret', 'name'],
  ],
  [['failureAlert'], ['after', 'cooldownMinutes', 'targets']],
  [
    ['failureAlert', 'targets', '*'],
    ['type', 'url', 'secret', 'name'],
  ],
  [['webhookAuth'], ['type', 'secret', 'header', 'prefix', 'encoding', 'idHeader']],
]
