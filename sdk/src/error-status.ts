import type { Code, Generation } from '@amodal/kernel'
import { ErrorKinds, type KnownCode } from './errors.ts'

/**
 * The HTTP status of each shared code with which a request or a turn can end. A code has one
 * status; the codes of plugins have theirs from `defineError`.
 */
export const STATUSES = {
  VALIDATION_ERROR: 400,
  ANSWER_INVALID: 400,
  SCOPE_REQUIRED: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN_ORIGIN: 403,
  FORBIDDEN_SCOPE: 403,
  TOOL_DENIED: 403,
  OUTBOUND_REFUSED: 403,
  NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  ASK_NOT_FOUND: 404,
  ASSET_NOT_FOUND: 404,
  NOT_ALLOWED: 405,
  RUN_ACTIVE: 409,
  RUN_SET_ASIDE: 409,
  NOT_SET_ASIDE: 409,
  NOT_RETRYABLE: 409,
  ASK_SETTLED: 409,
  MESSAGE_CONFLICT: 409,
  CANCELLED: 409,
  SESSION_EXPIRED: 410,
  ASK_EXPIRED: 410,
  TOO_LARGE: 413,
  CONTEXT_OVERFLOW: 413,
  UNSUPPORTED_MEDIA: 415,
  ASSET_UNSUPPORTED: 422,
  MODEL_FILTERED: 422,
  QUEUE_FULL: 429,
  RATE_LIMITED: 429,
  PLUGIN_FAILED: 500,
  PLUGIN_TIMEOUT: 500,
  BAD_VALUE: 500,
  INTERNAL: 500,
  MODEL_FAILED: 502,
  MODEL_MALFORMED: 502,
  CASSETTE_MISS: 502,
  OUTBOUND_FAILED: 502,
  KERNEL_CLOSED: 503,
  NO_MODEL: 503,
  BAD_REPO: 503,
  ENV_NOT_SET: 503,
  STORE_FAILED: 503,
  COMMIT_IN_DOUBT: 503,
  OUTCOME_UNKNOWN: 503,
  LEASE_LOST: 503,
  DATABASE_UNAVAILABLE: 503,
  DATABASE_DAMAGED: 503,
  UNKNOWN_ENTRY_VERSION: 503,
  TIMEOUT: 504,
  MODEL_TIMEOUT: 504,
} as const satisfies Partial<Record<KnownCode, number>>

const BY_CODE: Readonly<Record<string, number>> = STATUSES

/**
 * The HTTP status of a code: that of the catalogue, or that of its plugin. Any other code is a
 * defect.
 *
 * @param generation whose plugins are known; without it, only the shared codes are
 * @returns 500 for a code without a status
 * @example statusOf('SESSION_NOT_FOUND') // 404
 */
export const statusOf = (code: Code, generation?: Pick<Generation, 'registry'>): number =>
  BY_CODE[code] ?? generation?.registry(ErrorKinds).get(code)?.status ?? 500
