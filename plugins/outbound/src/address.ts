import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'

/**
 * Checks whether a URL may be requested at all, before every request and for every redirect. The
 * addresses of its host are checked when connecting (`network.ts`).
 *
 * @param ports the allowed ports; all when omitted
 * @returns the parsed address, or `OUTBOUND_REFUSED`. The message never repeats credentials or a
 *   query.
 * @example
 * permitted('ftp://host/file') // OUTBOUND_REFUSED: only http and https …
 */
export function checkUrl(address: string | URL, ports?: readonly number[]): Result<URL, Failure> {
  const url = typeof address === 'string' ? URL.parse(address) : address
  if (url === null) return refused('the address is no valid URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refused(`only http and https are allowed, not '${url.protocol.slice(0, -1)}'`)
  if (url.username !== '' || url.password !== '')
    return refused(`the address of ${displayUrl(url)} carries credentials; send them in a header`)
  if (ports !== undefined && !ports.includes(portOf(url)))
    return refused(
      `port ${portOf(url)} of ${url.hostname} is not among those allowed (${ports.join(', ')})`,
    )
  return ok(url)
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

/** A URL for error messages, without its query and fragment, which can hold a secret. */
export function displayUrl(url: URL): string {
  return `${url.origin}${url.pathname}`
}

export function refused(
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): Result<never, Failure> {
  return err(failure('OUTBOUND_REFUSED', message, { details: { sent: false, ...details } }))
}
