import { isExact, type ExactNumber, type Json } from '@amodal/kernel'
import { z } from 'zod'

/** A number of JSON, with all of its digits. */
export const jsonNumber = z.custom<number | ExactNumber>(
  (value) => (typeof value === 'number' && Number.isFinite(value)) || isExact(value),
  'Invalid input: expected number',
)
// As a model and a reader of the API are shown it.
jsonNumber._zod.toJSONSchema = () => ({ type: 'number' })

/**
 * Any JSON, in place of `z.json()`: with numbers that a double cannot hold, as `parseExact` reads
 * them.
 *
 * @example z.object({ payload: z.record(z.string(), jsonValue) })
 */
export const jsonValue: z.ZodType<Json> = z.lazy(() =>
  z.union([
    z.string(),
    jsonNumber,
    z.boolean(),
    z.null(),
    z.array(jsonValue),
    z.record(z.string(), jsonValue),
  ]),
)
