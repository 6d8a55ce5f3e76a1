import { failure, type Failure, type Lease } from '@amodal/sdk'
import { displayUrl } from './address.ts'
import { AddressRefused } from './address-refused.ts'

/** Errors while connecting: nothing was sent. */
const UNREACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
  EADDRNOTAVAIL: 'there is no route to the host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
}

/** Errors of an established connection. */
const LOST: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
}

/** The lease ended before the request was written. */
export class LeaseLapsed extends Error {
  constructor() {
    super('the lease has ended')
    this.name = 'LeaseLapsed'
  }
}

export interface Watch {
  readonly lease?: Lease | undefined
  /** The caller's own signal. */
  readonly signal?: AbortSignal | undefined | null
  /** The request was written, so the target may have acted on it. */
  readonly sent: boolean
  /** It went through this proxy. */
  readonly proxy?: URL | undefined
  /** Status of the response, if its head was received. */
  readonly status?: number
}

/**
 * Converts an error of one exchange to a failure. `details.sent` is `false` when the target cannot
 * have seen the request. The platform's messages are not repeated: they can quote a header.
 */
export function failureOf(
  cause: unknown,
  url: URL,
  { lease, proxy, signal, sent, status }: Watch,
): Failure {
  const where = proxy ? `${displayUrl(url)} (by the proxy ${proxy.host})` : displayUrl(url)
  const details = { sent, ...(status !== undefined && { status }) }
  if (lease?.signal.aborted || findCause(cause, LeaseLapsed)) return leaseLost(where, sent, details)
  if (signal?.aborted && !isTimeout(signal.reason))
    return failure('CANCELLED', `the request to ${where} was cancelled`, {
      details: { ...details, cancelled: true },
    })
  const code = codeOf(cause)
  if (
    signal?.aborted ||
    isTimeout(cause) ||
    /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/.test(code)
  ) {
    return failure(
      'TIMEOUT',
      `${where} ${sent ? 'did not answer' : 'could not be reached'} in time`,
      { details },
    )
  }
  const address = findCause(cause, AddressRefused)
  if (address)
    return failure('OUTBOUND_REFUSED', `${url.host} ${REFUSAL_REASONS[address.kind]}`, {
      details: { sent: false, address: address.kind },
    })
  if (
    cause instanceof TypeError &&
    cause.cause instanceof Error &&
    cause.cause.message === 'bad port'
  ) {
    // of the Fetch standard
    return failure(
      'OUTBOUND_REFUSED',
      `port ${url.port} of ${url.hostname} belongs to another protocol than http`,
      { details: { sent: false } },
    )
  }
  const byProxy = proxy && proxyReason(cause)
  const why =
    byProxy ??
    UNREACHED[code] ??
    LOST[code] ??
    (code === '' ? 'the request is not valid or the connection failed' : code)
  return failure(
    'OUTBOUND_FAILED',
    `${where} ${sent && byProxy === undefined ? 'gave no whole answer' : 'could not be reached'}: ${why}`,
    {
      details: {
        ...details,
        ...(byProxy !== undefined && { sent: false }), // it was not passed on
        ...(code === '' ? {} : { reason: code }),
      },
    },
  )
}

/** What a proxy said that does not let a request through. */
function proxyReason(cause: unknown): string | undefined {
  const [, tunnel, plain] = /Proxy response \((\d+)\)|Required \((\d+)\)/.exec(deepest(cause)) ?? []
  const status = tunnel ?? plain
  if (status === undefined) return undefined
  return status === '407'
    ? 'the proxy wants to know who asks (407): write HTTPS_PROXY as http://user:password@host:port'
    : `the proxy answered ${status}: ask whoever runs it, or name the host in NO_PROXY`
}

/** The message of the innermost cause: of undici, and without anything of the request. */
function deepest(cause: unknown): string {
  let message = ''
  for (
    let error = cause, depth = 0;
    error instanceof Error && depth < 5;
    error = error.cause, depth++
  )
    message = error.message
  return message
}

export function leaseLost(
  where: string,
  sent: boolean,
  details: Readonly<Record<string, unknown>> = { sent },
): Failure {
  return failure(
    'LEASE_LOST',
    `the request to ${where} was not ${sent ? 'finished' : 'sent'}: this process no longer holds the session`,
    { details },
  )
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'TimeoutError'
}

const REFUSAL_REASONS: Readonly<Record<AddressRefused['kind'], string>> = {
  private:
    "is on a private network, where only what the agent's own files name may be called (or `privateOrigins` of the plugin outbound)",
  closed:
    'has an address that is for nobody to call: link-local, the metadata service of a cloud, multicast, or reserved',
}

/** The error of this class in a chain of causes. */
function findCause<E extends Error>(
  cause: unknown,
  kind: abstract new (...args: never[]) => E,
): E | undefined {
  for (
    let error = cause, depth = 0;
    error instanceof Error && depth < 5;
    error = error.cause, depth++
  ) {
    if (error instanceof kind) return error
    if (error instanceof AggregateError) return findCause(error.errors[0], kind)
  }
  return undefined
}

/** The system's or undici's code in a chain of causes; empty if there is none. */
function codeOf(cause: unknown): string {
  for (
    let error = cause, depth = 0;
    error instanceof Error && depth < 5;
    error = error.cause, depth++
  ) {
    if ('code' in error && typeof error.code === 'string') return error.code
    if (error instanceof AggregateError) return codeOf(error.errors[0])
  }
  return ''
}
