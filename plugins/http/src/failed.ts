import { failure, type Code, type Failure } from '@amodal/sdk'
import { statusOf } from '@amodal/sdk/wire'

/** An unknown id and another tenant's id must not differ by a byte, so neither may quote the id. */
const FIXED_MESSAGES: Readonly<Partial<Record<Code, string>>> = {
  SESSION_NOT_FOUND: 'there is no such session: start a new one, or check its id',
}

/** Codes that clients of this format know by another spelling. */
export const CODE_SPELLINGS: Readonly<Partial<Record<Code, string>>> = {
  SCOPE_REQUIRED: 'scope_required',
}

const CAUSE = Symbol.for('amodal.failure')

/** A failure that is logged under an id; the client receives the id only. */
export interface HiddenFailure {
  readonly id: string
  readonly failure: Failure
}

/**
 * The response for a failure: `{error:{code,message}}` with the status of its code, or its own. A
 * defect (500) exposes an id only, under which the server logs the failure.
 *
 * @example
 * const found = await client.session(id)
 * if (!found.ok) return failed(found.error)
 */
export function failed(error: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  const status = error.status ?? statusOf(error.code)
  if (status !== 500)
    return errorResponse(
      status,
      CODE_SPELLINGS[error.code] ?? error.code,
      FIXED_MESSAGES[error.code] ?? error.message,
      { ...headersOf(error), ...headers },
    )
  const hidden: HiddenFailure = { id: crypto.randomUUID(), failure: error }
  const response = errorResponse(
    500,
    'INTERNAL',
    `internal error: the server log has the details under ${hidden.id}`,
    headers,
  )
  return Object.defineProperty(response, CAUSE, { value: hidden })
}

/** Response headers of a failure: how to authenticate, and when to retry. */
function headersOf({ code, details }: Failure): Readonly<Record<string, string>> {
  switch (code) {
    case 'UNAUTHENTICATED':
      return { 'www-authenticate': 'Bearer realm="amodal"' }
    case 'FORBIDDEN_SCOPE':
      return {
        'www-authenticate': `Bearer realm="amodal", error="insufficient_scope", scope="${String(details?.['scope'])}"`,
      }
    case 'RATE_LIMITED':
      return { 'retry-after': `${Number(details?.['retry_after_seconds'] ?? 1)}` }
    default:
      return {}
  }
}

/** The failure that a response hides from its client. */
export function hiddenFailure(response: Response): HiddenFailure | undefined {
  return CAUSE in response && isHidden(response[CAUSE]) ? response[CAUSE] : undefined
}

/** The 500 response for an exception. */
export const crashed = (cause: unknown): Response =>
  failed(failure('INTERNAL', 'a handler threw', { cause }))

const isHidden = (value: unknown): value is HiddenFailure =>
  typeof value === 'object' && value !== null && 'failure' in value

const errorResponse = (
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>>,
): Response => Response.json({ error: { code, message } }, { status, headers })
