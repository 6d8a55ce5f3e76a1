import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
} from '@modelcontextprotocol/client'
import { UnansweredError } from './call-errors.ts'
import { SignInNeededError } from './oauth/sign-in-needed.ts'

/**
 * Whether an error ends the connection.
 *
 * @param streamed the server has sent notifications over a stream of its own before
 */
export function endsConnection(error: Error, streamed: boolean): boolean {
  if (error instanceof SseError || error.name === 'TooLargeError') return true
  // A server without such a stream may say so with 404, although 405 is meant for it. A request
  // that finds its session gone is told by its own failure, so that it is known not to have been
  // carried out.
  return (
    streamed &&
    error instanceof SdkHttpError &&
    error.code === SdkErrorCode.ClientHttpFailedToOpenStream &&
    error.status === 404
  )
}

/** The arguments that it wants mirrored into headers are others than it has listed. */
const HEADER_MISMATCH = -32020
export const isOutdated = (cause: unknown): boolean =>
  cause instanceof ProtocolError && cause.code === HEADER_MISMATCH

/**
 * How a failed call stands. `refused`: the server said no. `unsent`: it was not carried out, and
 * the connection is of no use. `lapsed`: it was not sent, since this process may not act for the
 * session any more. `unclear`: it was seen, and nothing came that could be read. `lost`: the same,
 * and the connection is gone. `stopped`: the caller aborted it.
 */
export type Failing = 'refused' | 'unsent' | 'lapsed' | 'unclear' | 'lost' | 'stopped'

const REFUSALS = [
  ProtocolError,
  UnansweredError,
  SignInNeededError,
  InsufficientScopeError,
] as const

/** @param stateful the server had given the connection a session */
export function failingOf(cause: unknown, signal: AbortSignal, stateful: boolean): Failing {
  if (signal.aborted) return 'stopped'
  if (REFUSALS.some((refusal) => cause instanceof refusal)) return 'refused'
  if (cause instanceof SdkHttpError) {
    if (isSessionGone(cause, stateful)) return 'unsent'
    return (cause.status ?? 500) < 500 ? 'refused' : 'unclear'
  }
  if (cause instanceof SdkError) {
    switch (cause.code) {
      case SdkErrorCode.NotConnected:
        return 'unsent'
      case SdkErrorCode.RequestTimeout:
        return 'stopped'
      case SdkErrorCode.ConnectionClosed:
      case SdkErrorCode.SendFailed:
        return 'lost'
      default:
        return 'unclear'
    }
  }
  const { code, sent } = detailsOf(cause)
  if (code === 'LEASE_LOST') return sent === false ? 'lapsed' : 'unclear'
  return sent === false ? 'unsent' : 'lost'
}

/**
 * 404 is what the protocol has for it; many servers answer 400 to a session that they do not know,
 * and say so in words.
 */
const isSessionGone = ({ status, message }: SdkHttpError, stateful: boolean): boolean =>
  status === 404 || (status === 400 && stateful && /session/i.test(message))

/**
 * What the way out, or the pipe to a child, says of a request that failed; without a word of it the
 * target may have seen it.
 */
function detailsOf(cause: unknown): { readonly code?: unknown; readonly sent?: unknown } {
  const failed: unknown = cause instanceof Error ? cause.cause : undefined
  if (typeof failed !== 'object' || failed === null || !('details' in failed)) return {}
  const { details } = failed
  return {
    ...('code' in failed && { code: failed.code }),
    ...(typeof details === 'object' &&
      details !== null &&
      'sent' in details && { sent: details.sent }),
  }
}
