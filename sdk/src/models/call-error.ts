import { textStart } from '../truncate.ts'
import { defined } from '../defined.ts'
import { AISDKError, APICallError, InvalidResponseDataError } from '@ai-sdk/provider'

/** Of an error's body; it is only read by people. */
const MAX_BODY = 16 * 1024

/** Where an error came from, as it may be shown, and what takes secrets out of it. */
export interface ErrorPlace {
  readonly url: string
  readonly mask: (text: string) => string
}

/** A connection that could not be made, or broke. */
export function callError(cause: unknown, url: string): APICallError {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new APICallError({
    message: `${url} could not be called: ${message}`,
    cause,
    url,
    requestBodyValues: {},
    isRetryable: !isFinal(cause),
  })
}

/** A call that cannot succeed as it is configured, such as one whose credentials are refused. */
export const refusedCall = (message: string, url: string): APICallError =>
  new APICallError({ message, url, requestBodyValues: {}, isRetryable: false })

/** A reply that is none. With `isRetryable`, one that was cut short. */
export function replyError(message: string, url: string, isRetryable = false): Error {
  return isRetryable
    ? new APICallError({ message, url, requestBodyValues: {}, isRetryable })
    : new InvalidResponseDataError({ data: undefined, message })
}

/** A reply whose finish reason says that it is none. */
export const failedReply = (reason: string, url: string): Error =>
  replyError(`The reply ended with the finish reason "${reason.slice(0, 100)}"`, url, true)

/**
 * An error of the AI SDK in a form that may be logged: its status, its headers (`retry-after`) and
 * the response text of the endpoint, without the prompt that the SDK attaches, and without secrets.
 *
 * @param hint what to do about it, by the status
 */
export function shownError(
  cause: unknown,
  { url, mask }: ErrorPlace,
  hint: (status: number) => string | undefined = () => undefined,
): Error {
  if (!APICallError.isInstance(cause))
    return AISDKError.isInstance(cause)
      ? replyError(mask(cause.message), url)
      : callError(cause, url)
  const { statusCode, responseHeaders, responseBody, isRetryable, data } = cause
  // A response that began successfully and broke is recognised by its status.
  if (statusCode !== undefined && statusCode < 400) return callError(cause.cause ?? cause, url)
  const message =
    statusCode === undefined
      ? cause.message
      : `${url} answered ${statusCode}: ${cause.message || 'no reason given'}${hint(statusCode) ?? ''}`
  return new APICallError({
    message: mask(message),
    url,
    requestBodyValues: {},
    isRetryable,
    ...defined({ statusCode, responseHeaders }),
    ...(responseBody !== undefined && { responseBody: textStart(mask(responseBody), MAX_BODY) }),
    ...(data !== undefined && { data: maskedJson(data, mask) }),
  })
}

/**
 * The same for what stands in a stream: an error of the SDK's, or what the endpoint sent in place
 * of a part.
 */
export function streamError(cause: unknown, place: ErrorPlace): Error {
  const { url, mask } = place
  if (cause instanceof Error)
    return APICallError.isInstance(cause)
      ? shownError(cause, place)
      : replyError(mask(`The stream holds what is no part of a reply: ${cause.message}`), url)
  const { message, statusCode, isRetryable, ...rest } = isRecord(cause)
    ? cause
    : { message: String(cause) }
  return new APICallError({
    message: mask(
      typeof message === 'string' ? message : 'The endpoint reported an error without a message',
    ),
    url,
    requestBodyValues: {},
    data: maskedJson(rest, mask),
    ...(typeof statusCode === 'number' && { statusCode }),
    ...(typeof isRetryable === 'boolean' && { isRetryable }),
  })
}

function maskedJson(value: unknown, mask: (text: string) => string): unknown {
  return JSON.parse(mask(JSON.stringify(value)))
}

/** Refused by our own outbound, where a second try meets the same answer. */
function isFinal(cause: unknown): boolean {
  const failure = cause instanceof Error && isRecord(cause.cause) ? cause.cause : {}
  const networkSaidSo = isRecord(failure.details) && 'reason' in failure.details
  return failure.code === 'LEASE_LOST' || (failure.code === 'OUTBOUND_REFUSED' && !networkSaidSo)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
