import type { Caller, RequestLimiter } from '@amodal/sdk'
import { failed } from '@amodal/plugin-http/tokens'

/** One more message of whoever asks, unless they have sent too many. */
export async function counted(
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
