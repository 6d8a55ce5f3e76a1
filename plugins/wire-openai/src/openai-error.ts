import { failure, type Failure } from '@amodal/sdk'
import { failed } from '@amodal/plugin-http/tokens'

/** What is wrong with a parameter, by its name. */
export const badParameter = (param: string, message: string): Failure =>
  failure('VALIDATION_ERROR', `${param}: ${message}`, { details: { param } })

export const unsupported = (param: string, why: string): Failure =>
  badParameter(param, `is not supported: ${why}`)

export interface ErrorBody {
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string
}

/** An error in OpenAI's shape, with the code of ours. */
export const errorBody = (
  status: number,
  code: string,
  message: string,
  param: unknown = null,
): ErrorBody => ({
  message,
  type: typeOf(status),
  param: typeof param === 'string' ? param : null,
  code,
})

/**
 * The response for a failure, as the official clients read it. What it hides of a defect stays
 * hidden, and is logged under its id.
 *
 * @example
 * if (!sent.ok) return openAiFailed(sent.error)
 */
export async function openAiFailed(error: Failure): Promise<Response> {
  const ours = failed(error)
  // written by `failed`
  const { error: told } = (await ours.clone().json()) as {
    readonly error: { readonly code: string; readonly message: string }
  }
  const headers = new Headers(ours.headers)
  headers.delete('content-length')
  // Clients repeat a conflict by themselves, which here only a person or a tool result resolves.
  if (ours.status === 409) headers.set('x-should-retry', 'false')
  const response = Response.json(
    { error: errorBody(ours.status, told.code, told.message, error.details?.['param']) },
    { status: ours.status, headers },
  )
  for (const key of Object.getOwnPropertySymbols(ours)) {
    const hidden = Object.getOwnPropertyDescriptor(ours, key)
    if (Symbol.keyFor(key) !== undefined && hidden) Object.defineProperty(response, key, hidden)
  }
  return response
}

function typeOf(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error'
    case 403:
      return 'permission_error'
    case 404:
      return 'not_found_error'
    case 409:
      return 'conflict_error'
    case 429:
      return 'rate_limit_error'
    default:
      return status >= 500 ? 'server_error' : 'invalid_request_error'
  }
}
