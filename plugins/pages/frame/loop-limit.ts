/** ms for which the code of a page may run without a pause. */
const LIMIT_MS = 2_000
/** Rounds of loops between two looks at the clock. */
const ROUNDS = 1_024

let rounds = 0
let since: number | undefined
const channel = new MessageChannel()
channel.port1.onmessage = () => {
  since = undefined
}

/**
 * Counts a round of a loop.
 *
 * @returns whether loops have run for too long since the browser had its turn
 */
export function isLate(): boolean {
  if (++rounds % ROUNDS !== 0) return false
  if (since !== undefined) return performance.now() - since > LIMIT_MS
  since = performance.now()
  channel.port2.postMessage(0)
  return false
}

export const lateError = (): Error =>
  new Error(`a loop of this page ran for more than ${LIMIT_MS / 1_000} s and was stopped`)
