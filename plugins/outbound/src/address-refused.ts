import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { kindOf, type AddressKind } from './address-kind.ts'

/** `private`: the agent's own files name the origin, so its host may be on a private network. */
export type Reach = 'public' | 'private'

/** Looks up all addresses of a name, as `dns.lookup` does. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

/**
 * A host with an address that may not be reached. The error does not contain the address, which
 * could disclose names of a private network.
 */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
  readonly kind: Exclude<AddressKind, 'public'>

  constructor(kind: Exclude<AddressKind, 'public'>) {
    super('the address may not be reached')
    this.name = 'AddressRefused'
    this.kind = kind
  }
}

/**
 * One forbidden address refuses the host, since which of its addresses is used is not ours to
 * choose.
 */
export function refusalOf(addresses: readonly string[], reach: Reach): AddressRefused | undefined {
  for (const kind of addresses.map(kindOf)) {
    if (kind === 'closed' || (kind === 'private' && reach === 'public'))
      return new AddressRefused(kind)
  }
  return undefined
}
