import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { problems } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { unsupported } from './openai-error.ts'

/** A parameter that changes what the caller gets, and cannot be honoured. */
export interface Refused {
  readonly why: string
  /** A value that asks for nothing. */
  readonly harmless?: (value: unknown) => boolean
}

export type RefusedTable = Readonly<Record<string, Refused>>

export const isEmpty = (value: unknown): boolean =>
  value === false ||
  value === 0 ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

/** Refuses by its name what cannot be honoured; `null` asks for nothing anywhere. */
export function refuseUnsupported(
  body: unknown,
  refused: RefusedTable,
): Result<Readonly<Record<string, unknown>>, Failure> {
  const given = z.record(z.string(), z.unknown()).safeParse(body)
  if (!given.success) return err(failure('VALIDATION_ERROR', problems(given.error)))
  for (const [name, { why, harmless }] of Object.entries(refused)) {
    const value = given.data[name]
    if (value !== undefined && value !== null && harmless?.(value) !== true)
      return err(unsupported(name, why))
  }
  return ok(given.data)
}

/** Parameters that are accepted and change nothing. */
export const ignored = (...names: readonly string[]): Readonly<Record<string, z.ZodType>> =>
  Object.fromEntries(names.map((name) => [name, z.unknown().optional()]))

/** The failure of a request that does not fit, with the parameter it is about. */
export function misfit(error: z.ZodError): Failure {
  const first = error.issues[0] && innermost(error.issues[0])
  const unknown = first?.code === 'unrecognized_keys' ? first.keys[0] : undefined
  const param = unknown ?? first?.path.map(String).join('.')
  const message =
    unknown === undefined
      ? inWords(error, first)
      : `${unknown}: is not a parameter that is known here`
  return failure('VALIDATION_ERROR', message, { details: { param: param ?? null } })
}

/** Of a value that may have several forms: what is wrong with the one that it comes closest to. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  const inner = issue.errors.map(([first]) => first && innermost(first))
  const closest = inner.reduce<z.core.$ZodIssue | undefined>(
    (best, one) => (one && one.path.length > (best?.path.length ?? 0) ? one : best),
    undefined,
  )
  return closest ? { ...closest, path: [...issue.path, ...closest.path] } : issue
}

const inWords = (error: z.ZodError, first: z.core.$ZodIssue | undefined): string =>
  error.issues.length === 1 && first
    ? `${first.path.map(String).join('.') || 'body'}: ${first.message}`
    : problems(error)

export const REFUSED_TOOL_CHOICE: Refused = {
  why: 'the agent chooses its tools; use "auto" or "none"',
  harmless: (value) => value === 'auto' || value === 'none',
}

export const functionTool = z.object({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
  description: z.string().max(10_000).nullish(),
  parameters: z.record(z.string(), jsonValue).nullish(),
  strict: z.boolean().nullish(),
})

export const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((given) => Object.keys(given).length <= 16, 'at most 16 entries')
  .nullish()
