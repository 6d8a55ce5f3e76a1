import { BlockList, isIP } from 'node:net'

/** Reads a variable of the environment or of the agent's `.env`. */
export type ReadVariable = (name: string) => string | undefined

/** How a host is reached. */
export interface Way {
  /** The proxy; absent where the connection is direct. */
  readonly proxy?: URL
  /** Why, for people: the variable that says so. */
  readonly reason: string
}

const PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:', 'socks:'])

/** The proxy of a variable or setting: a URL, or a host and port. */
export function readProxy(text: string): URL | undefined {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  return url && PROTOCOLS.has(url.protocol) && url.hostname !== '' ? url : undefined
}

/**
 * Which way requests to a URL go, by `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in
 * either case; the lower case counts first. This machine itself is never reached through a proxy.
 *
 * @example
 * wayTo(new URL('https://api.example.com'), (name) => process.env[name])
 * // { proxy: URL('http://proxy.corp:3128'), reason: 'HTTPS_PROXY' }
 */
export function wayTo(url: URL, read: ReadVariable): Way {
  if (isOwnMachine(url.hostname)) return { reason: 'this machine' }
  const names = url.protocol === 'https:' ? ['HTTPS_PROXY'] : ['HTTP_PROXY']
  for (const name of [...names, 'ALL_PROXY']) {
    const text = read(name.toLowerCase()) || read(name)
    if (!text) continue
    const exceptions = read('no_proxy') || read('NO_PROXY') || ''
    if (isExcepted(url, exceptions)) return { reason: 'NO_PROXY' }
    const proxy = readProxy(text)
    return proxy ? { proxy, reason: name } : { reason: `${name} is no URL of a proxy` }
  }
  return { reason: 'no proxy is set' }
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '').toLowerCase()

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

function isOwnMachine(hostname: string): boolean {
  const host = bare(hostname)
  return isIP(host) > 0
    ? LOOPBACK.check(host, familyOf(host))
    : host === 'localhost' || host.endsWith('.localhost')
}

/**
 * Whether a host is in `NO_PROXY`: `*`, names, which count with everything below them, addresses,
 * ranges of addresses, each with a port or without.
 */
function isExcepted(url: URL, exceptions: string): boolean {
  const host = bare(url.hostname)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return exceptions
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => isEntryFor(entry.toLowerCase(), host, port))
}

function isEntryFor(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  if (entry.includes('/')) return isInRange(entry, host)
  const [, address, portOnly] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(entry) ?? [, entry]
  if (portOnly !== undefined && portOnly !== port) return false
  const name = bare(address ?? entry).replace(/^\*?\./, '')
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`))
}

function isInRange(entry: string, host: string): boolean {
  const [address = '', bits = ''] = entry.split('/')
  const prefix = Number(bits)
  const family = familyOf(address)
  const most = family === 'ipv6' ? 128 : 32
  if (isIP(host) === 0 || isIP(address) === 0 || !(prefix >= 0 && prefix <= most)) return false
  const range = new BlockList()
  range.addSubnet(address, prefix, family)
  return range.check(host, familyOf(host))
}
