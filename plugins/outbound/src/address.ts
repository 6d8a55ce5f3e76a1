import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'

/**
 * Whether an address may be called: the single place where that is decided, asked before every
 * request and again for every redirect.
 *
 * @returns the parsed address, or `OUTBOUND_REFUSED`. The message never repeats credentials or a query.
 * @example
 * permitted('ftp://host/file') // OUTBOUND_REFUSED: only http and https …
 */
export function permitted(address: string | URL): Result<URL, Failure> {
  const url = typeof address === 'string' ? URL.parse(address) : address
  if (url === null) return refused('the address is no valid URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refused(`only http and https are allowed, not '${url.protocol.slice(0, -1)}'`)
  if (url.username !== '' || url.password !== '') return refused(`the address of ${nameOf(url)} carries credentials; send them in a header`)
  return ok(url)
}

/** An address as errors may show it: a query or a fragment can hold a secret. */
export function nameOf(url: URL): string {
  return `${url.origin}${url.pathname}`
}

export function refused(message: string, details: Readonly<Record<string, unknown>> = {}): Result<never, Failure> {
  return err(failure('OUTBOUND_REFUSED', message, { details: { sent: false, ...details } }))
}
