import type { Caller, RequestLimiter } from '@amodal/sdk'
import { failed } from './failed.ts'

/** Calls `send` unless the caller has sent too many messages. */
export async function rateLimited(
  limiter: RequestLimiter | undefined,
  caller: Caller,
  send: () => Promise<Response>,
): Promise<Response> {
  const permit = await limiter?.message(caller)
  if (permit?.ok === false) return failed(permit.error)
  try {
    return await send()
  } finally {
    permit?.value.release()
  }
}
