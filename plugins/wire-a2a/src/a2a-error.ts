import type { Failure, JsonObject } from '@amodal/sdk'
import { failed } from '@amodal/plugin-http/tokens'

/** The errors of the protocol that this wire has. */
const KINDS = {
  TASK_NOT_FOUND: { rpc: -32_001, http: 404, status: 'NOT_FOUND' },
  TASK_NOT_CANCELABLE: { rpc: -32_002, http: 409, status: 'FAILED_PRECONDITION' },
  PUSH_NOTIFICATION_NOT_SUPPORTED: { rpc: -32_003, http: 400, status: 'UNIMPLEMENTED' },
  UNSUPPORTED_OPERATION: { rpc: -32_004, http: 400, status: 'UNIMPLEMENTED' },
  CONTENT_TYPE_NOT_SUPPORTED: { rpc: -32_005, http: 415, status: 'INVALID_ARGUMENT' },
  VERSION_NOT_SUPPORTED: { rpc: -32_009, http: 400, status: 'UNIMPLEMENTED' },
  INVALID_PARAMS: { rpc: -32_602, http: 400, status: 'INVALID_ARGUMENT' },
  METHOD_NOT_FOUND: { rpc: -32_601, http: 404, status: 'UNIMPLEMENTED' },
  INVALID_REQUEST: { rpc: -32_600, http: 400, status: 'INVALID_ARGUMENT' },
  PARSE_ERROR: { rpc: -32_700, http: 400, status: 'INVALID_ARGUMENT' },
} as const
export type A2aErrorKind = keyof typeof KINDS

/** An error of the protocol. `code` is ours, where it began as a failure. */
export interface A2aError {
  readonly kind: A2aErrorKind
  readonly message: string
  readonly code?: string
}

export const a2aError = (kind: A2aErrorKind, message: string): A2aError => ({ kind, message })

/** What an operation fails with: an error of the protocol, or a failure of the server. */
export type OperationError = A2aError | Failure

export const NO_TASK = a2aError('TASK_NOT_FOUND', 'there is no such task')

/** The error of the protocol that a failure is, if any. */
function known(error: OperationError): A2aError | undefined {
  if ('kind' in error) return error
  const { code, message } = error
  switch (code) {
    case 'SESSION_NOT_FOUND':
    case 'NOT_FOUND':
      return { ...NO_TASK, code }
    case 'VALIDATION_ERROR':
    case 'ANSWER_INVALID':
    case 'MESSAGE_CONFLICT':
    case 'TOO_LARGE':
    case 'ASSET_TOO_LARGE':
    case 'ASSET_NOT_FOUND':
      return { kind: 'INVALID_PARAMS', message, code }
    case 'ASSET_TYPE_REFUSED':
    case 'ASSET_UNSUPPORTED':
      return { kind: 'CONTENT_TYPE_NOT_SUPPORTED', message, code }
    case 'RUN_ACTIVE':
    case 'ASK_NOT_FOUND':
    case 'ASK_SETTLED':
    case 'ASK_EXPIRED':
    case 'OUTBOUND_REFUSED':
      return { kind: 'UNSUPPORTED_OPERATION', message, code }
    default:
      return undefined
  }
}

const infoOf = ({ kind, code }: A2aError): JsonObject => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: kind,
  domain: 'a2a-protocol.org',
  metadata: { ...(code !== undefined && { code }) },
})

/** The `error` of a JSON-RPC response; what the server hides of a defect stays hidden. */
export async function rpcError(error: OperationError): Promise<JsonObject> {
  const one = known(error)
  if (one) return { code: KINDS[one.kind].rpc, message: one.message, data: [infoOf(one)] }
  const told = await toldOf(failureOf(error))
  return { code: -32_603, message: told.message, data: [{ code: told.code }] }
}

/** The response of the HTTP binding. */
export async function httpError(error: OperationError): Promise<Response> {
  const one = known(error)
  if (!one) return failed(failureOf(error))
  const { http, status } = KINDS[one.kind]
  return Response.json(
    { error: { code: http, status, message: one.message, details: [infoOf(one)] } },
    { status: http },
  )
}

const failureOf = (error: OperationError): Failure =>
  'kind' in error ? { code: 'INTERNAL', message: error.message } : error

async function toldOf(
  failure: Failure,
): Promise<{ readonly code: string; readonly message: string }> {
  const response = failed(failure)
  // written by `failed`
  const body = (await response.json()) as {
    readonly error: { readonly code: string; readonly message: string }
  }
  return body.error
}
