/** Statuses below 500 that say "later", not "no". */
const LATER: ReadonlySet<number> = new Set([408, 425, 429])

/** Whether a receiver that answered with this status, and not with success, may take it later. */
export const mayPassLater = (status: number): boolean => status >= 500 || LATER.has(status)

/**
 * What `Retry-After` asks for: seconds, or a date (RFC 9110, section 10.2.3).
 *
 * @param now ms since the epoch
 * @returns ms; `undefined` where there is no such header, or it says neither
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d+$/.test(header.trim())) return Number(header) * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
