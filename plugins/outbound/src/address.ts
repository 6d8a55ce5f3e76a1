import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'

/**
 * Whether a URL is one that may be called at all: asked before every request and again for every
 * redirect. Where its host leads is asked by whoever connects (`network.ts`).
 *
 * @param ports those allowed; any, where they are left out
 * @returns the parsed address, or `OUTBOUND_REFUSED`. The message never repeats credentials or a
 *   query.
 * @example
 * permitted('ftp://host/file') // OUTBOUND_REFUSED: only http and https …
 */
export function permitted(address: string | URL, ports?: readonly number[]): Result<URL, Failure> {
  const url = typeof address === 'string' ? URL.parse(address) : address
  if (url === null) return refused('the address is no valid URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refused(`only http and https are allowed, not '${url.protocol.slice(0, -1)}'`)
  if (url.username !== '' || url.password !== '')
    return refused(`the address of ${nameOf(url)} carries credentials; send them in a header`)
  if (ports !== undefined && !ports.includes(portOf(url)))
    return refused(
      `port ${portOf(url)} of ${url.hostname} is not among those allowed (${ports.join(', ')})`,
    )
  return ok(url)
}

const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/** An address as errors may show it: a query or a fragment can hold a secret. */
export function nameOf(url: URL): string {
  return `${url.origin}${url.pathname}`
}

export function refused(
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): Result<never, Failure> {
  return err(failure('OUTBOUND_REFUSED', message, { details: { sent: false, ...details } }))
}
