import { BlockList, isIP } from 'node:net'

/** Addresses as config names them: one, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** Trusted proxies: their `X-Forwarded-For` is believed. */
export function proxiesOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/**
 * The client's address: the nearest one that is not a trusted proxy. A client can forge the start
 * of `X-Forwarded-For`, so it is read from its end.
 */
export function clientAddress(
  peer: string,
  forwarded: string | undefined,
  proxies: BlockList,
): string {
  const claimed = (forwarded ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  let nearest = plain(peer)
  while (isOurs(nearest, proxies)) {
    const next = plain(claimed.pop() ?? '')
    if (isIP(next) === 0) break
    nearest = next
  }
  return nearest
}

/** Unwraps an IPv4-mapped IPv6 address. */
const plain = (address: string): string =>
  address.replace(/^::ffff:(?=\d{1,3}(?:\.\d{1,3}){3}$)/i, '')

function isOurs(address: string, proxies: BlockList): boolean {
  const family = isIP(address)
  return family !== 0 && proxies.check(address, family === 6 ? 'ipv6' : 'ipv4')
}
