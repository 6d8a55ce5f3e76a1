import type { JsonObject } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import type { ResponseFormat } from '@amodal/plugin-structured-output/tokens'
import { z } from 'zod'

/** The format of an answer, with the parameter that asks for it. */
export interface RequestedFormat extends ResponseFormat {
  readonly param: string
}

const named = {
  name: z.string().min(1).max(64),
  schema: z.record(z.string(), jsonValue).nullish(),
  description: z.string().nullish(),
  strict: z.boolean().nullish(),
}
const text = z.object({ type: z.literal('text') }).transform(() => undefined)
const anyObject = (param: string) =>
  z
    .object({ type: z.literal('json_object') })
    .transform((): RequestedFormat => ({ param, schema: { type: 'object' } }))

/** `response_format` of chat completions; `undefined` stands for text. */
export const responseFormat = z
  .union([
    text,
    anyObject('response_format'),
    z
      .object({ type: z.literal('json_schema'), json_schema: z.object(named) })
      .transform(({ json_schema: { name, schema } }) => formatOf('response_format', name, schema)),
  ])
  .nullish()

/** `text` of responses. */
export const textSettings = z
  .object({
    format: z
      .union([
        text,
        anyObject('text'),
        z
          .object({ type: z.literal('json_schema'), ...named })
          .transform(({ name, schema }) => formatOf('text', name, schema)),
      ])
      .nullish(),
    verbosity: z.unknown(),
  })
  .partial()
  .nullish()

const formatOf = (
  param: string,
  name: string,
  schema: JsonObject | null | undefined,
): RequestedFormat => ({ param, name, schema: schema ?? {} })
