import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Who may connect to an address. `private`: only requests to origins that the agent's own files
 * name. `closed`: no request at all, since these ranges hold nothing an agent needs, and cloud
 * metadata services return credentials.
 */
export type AddressKind = 'public' | 'private' | 'closed'

/** Metadata services that stand outside the link-local range. */
const METADATA: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
])

const PRIVATE: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'carrierGradeNat',
  'uniqueLocal',
])

/** The benchmarking range (RFC 2544), from which some proxies assign an address to every name. */
const BENCHMARKING: readonly [ipaddr.IPv4, number] = ipaddr.IPv4.parseCIDR('198.18.0.0/15')
/** Globally allocated unicast addresses; everything outside is special or unallocated. */
const GLOBAL_V6: readonly [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('2000::/3')
/**
 * The well-known prefix of NAT64 (RFC 6052); the local-use prefix of RFC 8215 leads into the local
 * network.
 */
const NAT64: readonly [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * The kind of an IP address as the system or a URL spells it, zone included. IPv4 inside of IPv6
 * counts as that IPv4.
 *
 * @example
 * kindOf('::ffff:169.254.169.254') // 'closed'
 */
export function kindOf(address: string): AddressKind {
  const bare = address.split('%', 1)[0] ?? ''
  if (isIP(bare) === 0) return 'closed'
  // The library reads the old `::1.2.3.4` as if it were mapped; the platform spells it without
  // dots.
  const parsed = ipaddr.parse(
    isIP(bare) === 6 ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : bare,
  )
  if (METADATA.has(parsed.toString())) return 'closed'
  return parsed instanceof ipaddr.IPv6 ? kindOfV6(parsed) : kindOfV4(parsed)
}

function kindOfV4(address: ipaddr.IPv4): AddressKind {
  const range = address.range()
  if (PRIVATE.has(range) || address.match([...BENCHMARKING])) return 'private'
  return range === 'unicast' ? 'public' : 'closed'
}

function kindOfV6(address: ipaddr.IPv6): AddressKind {
  if (address.isIPv4MappedAddress()) return kindOf(address.toIPv4Address().toString())
  if (address.match([...NAT64]))
    return kindOf(new ipaddr.IPv4(address.toByteArray().slice(12)).toString())
  const range = address.range()
  if (PRIVATE.has(range)) return 'private'
  // Tunnels (6to4, Teredo) lead to an IPv4 address of their own choice, and are no unicast here
  // either.
  return range === 'unicast' && address.match([...GLOBAL_V6]) ? 'public' : 'closed'
}
