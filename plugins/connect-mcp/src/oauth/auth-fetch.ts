import { timeLimit, type Outbound } from '@amodal/sdk'
import type { FetchLike } from '@modelcontextprotocol/client'
import { limitedFetch } from '../limited-fetch.ts'

/** ms for one request to an authorization server. */
const REQUEST_MS = 15_000
const MAX_BYTES = 1_000_000

/**
 * The way to authorization servers. Their addresses come from a stranger's document, so only the
 * origins that the agent's own files name may be private ones.
 *
 * @param named origins
 */
export function authFetch(
  outbound: Outbound,
  named: readonly string[],
  parent?: AbortSignal,
): FetchLike {
  return limitedFetch(
    (input, init) => {
      const { origin } = new URL(input)
      const signal = timeLimit(REQUEST_MS, `a request to ${origin}`, parent)
      const own = named.includes(origin) ? origin : undefined
      return outbound.fetch(undefined, own)(input, { ...init, signal })
    },
    MAX_BYTES,
    () => undefined,
  )
}
