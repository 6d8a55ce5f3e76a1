import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import { problems } from '@amodal/plugin-http/tokens'
import { z } from 'zod'

const flag = z.enum(['true', 'false']).transform((word) => word === 'true')

/** A whole number in decimal digits; `Number` would take `1e3`, ` 1` and an empty text, too. */
const count = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `is a number from ${least} to ${most}`)
    .transform(Number)
    .pipe(z.number().min(least).max(most))

export const Query = z.object({
  after: count(0, Number.MAX_SAFE_INTEGER).default(0),
  limit: count(1, 1_000).default(200),
  children: flag.default(true),
})

export type TraceQuery = z.output<typeof Query>

/** Reads `?after`, `?limit` and `?children`. */
export function readQuery(query: Readonly<Record<string, string>>): Result<TraceQuery, Failure> {
  const parsed = Query.safeParse(query)
  return parsed.success ? ok(parsed.data) : err(failure('VALIDATION_ERROR', problems(parsed.error)))
}

export const DetailQuery = z.object({ full: flag.default(false) })

export type DetailQuery = z.output<typeof DetailQuery>

/** Reads `?full`. */
export function readDetailQuery(
  query: Readonly<Record<string, string>>,
): Result<DetailQuery, Failure> {
  const parsed = DetailQuery.safeParse(query)
  return parsed.success ? ok(parsed.data) : err(failure('VALIDATION_ERROR', problems(parsed.error)))
}

/** `12` or `12.1`. */
export const isRowId = (text: string): boolean => /^\d{1,15}(\.\d{1,6})?$/.test(text)
