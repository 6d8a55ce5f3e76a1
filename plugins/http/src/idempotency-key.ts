import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import { z } from 'zod'

/** The key that identifies a retried request or message. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible characters')

/**
 * The `Idempotency-Key` of a request.
 *
 * @param otherwise taken where there is no such header, by the same rule
 */
export function idempotencyKeyOf(
  headers: Headers,
  otherwise?: string | null,
): Result<string | undefined, Failure> {
  const given = headers.get('idempotency-key') ?? otherwise ?? undefined
  const key = IdempotencyKey.optional().safeParse(given)
  return key.success
    ? ok(key.data)
    : err(
        failure(
          'VALIDATION_ERROR',
          `Idempotency-Key: ${key.error.issues[0]?.message ?? 'is not valid'}`,
        ),
      )
}
