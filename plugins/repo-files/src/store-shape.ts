import { z } from 'zod'

export const FIELD_TYPES = [
  'string',
  'number',
  'boolean',
  'datetime',
  'enum',
  'array',
  'object',
  'ref',
] as const

const text = z.string().min(1)

/** A field as the format has it; what each type needs beside is checked by `checkFields`. */
const field = z.looseObject({
  type: z.enum(FIELD_TYPES),
  nullable: z.boolean().exactOptional(),
  description: z.string().exactOptional(),
  min: z.number().exactOptional(),
  max: z.number().exactOptional(),
  values: z.array(text).exactOptional(),
  store: text.exactOptional(),
  get item() {
    return field.exactOptional()
  },
  get fields() {
    return z.record(z.string(), field).exactOptional()
  },
})

export const STORE_FIELDS = [
  '$schema',
  'name',
  'description',
  'entity',
  'ttl',
  'ttl_conditional',
  'failure',
  'history',
  'shared',
  'trace',
]

const seconds = z.number().positive()

export const storeShape = z.looseObject({
  name: text.exactOptional(),
  description: z.string().exactOptional(),
  entity: z.looseObject({
    name: text.exactOptional(),
    key: text,
    schema: z.record(z.string(), field),
  }),
  ttl: seconds.exactOptional(),
  ttl_conditional: z
    .looseObject({
      default: seconds.exactOptional(),
      override: z.array(z.looseObject({ condition: text, ttl: seconds })).default([]),
    })
    .exactOptional(),
  failure: z
    .looseObject({
      mode: z.enum(['partial', 'all-or-nothing', 'skip']).default('partial'),
      retries: z.int().min(0).max(10).exactOptional(),
      backoff: z.enum(['fixed', 'exponential']).exactOptional(),
      deadLetter: z.boolean().exactOptional(),
    })
    .exactOptional(),
  history: z.looseObject({ versions: z.int().min(0) }).exactOptional(),
  shared: z.boolean().exactOptional(),
  trace: z.boolean().exactOptional(),
})
