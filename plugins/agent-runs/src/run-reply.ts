import type { Failure, JsonObject } from '@amodal/sdk'

/** What is answered, over whatever protocol. */
export type RunReply =
  | { readonly kind: 'body'; readonly status: number; readonly body: JsonObject }
  /** Nothing that runs have an answer of their own for. */
  | { readonly kind: 'failure'; readonly error: Failure }

export const replied = (body: JsonObject, status = 200): RunReply => ({
  kind: 'body',
  status,
  body: { success: true, ...body },
})

export const unsuccessful = (
  status: number,
  word: string,
  code: string,
  message: string,
  more: JsonObject = {},
): RunReply => ({
  kind: 'body',
  status,
  body: { success: false, status: word, error: { code, message }, ...more },
})

export const failedReply = (error: Failure): RunReply => ({ kind: 'failure', error })

/** The same for what does not exist and for what is somebody else's, to the byte. */
export const NOT_FOUND: RunReply = unsuccessful(
  404,
  'not_found',
  'not_found',
  'there is no such session',
)
export const NO_ARTIFACT: RunReply = unsuccessful(
  404,
  'not_found',
  'not_found',
  'there is no such artifact',
)
