import { err, failure, messageOf, ok, trySync, type Failure, type Result } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { z } from 'zod'

const isJson = (type: string | null): boolean =>
  type !== null && /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)

/**
 * Reads a JSON body and checks it. An empty body counts as `{}`.
 *
 * @returns the parsed body; `UNSUPPORTED_MEDIA` where it is not declared as JSON (which also keeps
 *   foreign pages from posting forms), `TOO_LARGE`, or `VALIDATION_ERROR` with `path: message; …`
 *
 * @example
 * const body = await readJson(c.req.raw, z.object({ title: z.string() }))
 * if (!body.ok) return failed(body.error)
 */
export async function readJson<S extends z.ZodType>(
  request: Request,
  schema: S,
): Promise<Result<z.output<S>, Failure>> {
  const value = await bodyOf(request)
  if (!value.ok) return value
  const checked = schema.safeParse(value.value)
  return checked.success
    ? ok(checked.data)
    : err(failure('VALIDATION_ERROR', problems(checked.error)))
}

async function bodyOf(request: Request): Promise<Result<unknown, Failure>> {
  let bytes: ArrayBuffer
  try {
    bytes = await request.arrayBuffer()
  } catch (cause) {
    return err(unreadBody(cause))
  }
  if (bytes.byteLength === 0) return ok({})
  const type = request.headers.get('content-type')
  if (!isJson(type))
    return err(
      failure(
        'UNSUPPORTED_MEDIA',
        'the body must be JSON, declared as `content-type: application/json`',
      ),
    )
  const text = decoded(bytes, type ?? '')
  if (!text.ok) return text
  if (text.value === '') return ok({})
  try {
    const value: unknown = parseExact(text.value, 'keep')
    return isDeeper(value, MAX_DEPTH)
      ? err(failure('VALIDATION_ERROR', `body: nested more than ${MAX_DEPTH} deep`))
      : ok(value)
  } catch (cause) {
    return err(failure('VALIDATION_ERROR', `body: ${messageOf(cause)}`))
  }
}

/** In the charset that the type says: UTF-8 where it says none. */
function decoded(bytes: ArrayBuffer, type: string): Result<string, Failure> {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8'
  const decoder = trySync(
    () => new TextDecoder(charset, { fatal: true }),
    () => failure('UNSUPPORTED_MEDIA', `the charset "${charset}" is not known; send UTF-8`),
  )
  if (!decoder.ok) return decoder
  return trySync(
    () => decoder.value.decode(bytes),
    (cause) =>
      failure('VALIDATION_ERROR', `body: is not valid ${decoder.value.encoding}`, { cause }),
  )
}

/**
 * Levels of nesting that are accepted: more than real requests have, and few enough for code that
 * recurses through them.
 */
const MAX_DEPTH = 64

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))

/** Thrown by the stream of a body that is longer than its route allows. */
export class BodyTooLarge extends Error {
  readonly failure: Failure

  constructor(limit: number) {
    super(`the body is larger than ${limit} bytes`)
    this.failure = failure('TOO_LARGE', `${this.message}; send less`)
  }
}

const isTooLarge = (cause: unknown): cause is BodyTooLarge => cause instanceof BodyTooLarge

/** Why a body could not be read to its end. */
export const unreadBody = (cause: unknown): Failure =>
  isTooLarge(cause)
    ? cause.failure
    : failure(
        'VALIDATION_ERROR',
        'body: is incomplete, or is not encoded as declared in `content-encoding`',
        { cause },
      )

/** The issues of a failed validation, as `path: message; …`. */
export function problems(error: z.ZodError): string {
  const shown = error.issues
    .slice(0, 20)
    .map(({ path, message }) => `${path.map(String).join('.') || 'body'}: ${message}`)
  return error.issues.length > shown.length
    ? `${shown.join('; ')}; and ${error.issues.length - shown.length} more`
    : shown.join('; ')
}
