import { isClosedAsk } from '../../closed-ask.ts'
import type { ServerReach } from '../reachability.ts'
import { ClientError } from '../types.ts'

/** There was no response, so whether the server received the request is unknown. */
export const isUnreached = (cause: unknown): boolean =>
  cause instanceof ClientError && (cause.code === 'UNREACHABLE' || cause.code === 'KERNEL_CLOSED')

/** The question of an answer is closed: it was answered, has expired, or its run is over. */
export const isClosed = (cause: unknown): boolean =>
  cause instanceof ClientError && isClosedAsk(cause.code)

export const errorOf = (cause: unknown): Error =>
  cause instanceof Error ? cause : new Error(String(cause))

/** ms between two attempts while the server is reachable but refuses them. */
const RETRY_MS = 1_000

/** Resolves once the server answers: `false` where nobody waits for it any more. */
export async function isBack(reach: ServerReach, signal: AbortSignal): Promise<boolean> {
  await new Promise((resolve) => {
    setTimeout(resolve, RETRY_MS)
  })
  return reach.back(signal).then(
    () => !signal.aborted,
    () => false,
  )
}
