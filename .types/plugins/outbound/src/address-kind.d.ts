/**
 * What an address may be used for. `private`: only by what the agent's own files name. `closed`: by nobody, since
 * nothing that an agent has business with is there, and the metadata services of clouds give out their keys.
 */
export type AddressKind = 'public' | 'private' | 'closed';
/**
 * The kind of an IP address as the system or a URL spells it, zone included. IPv4 inside of IPv6 counts as that IPv4.
 *
 * @example
 * kindOf('::ffff:169.254.169.254') // 'closed'
 */
export declare function kindOf(address: string): AddressKind;
