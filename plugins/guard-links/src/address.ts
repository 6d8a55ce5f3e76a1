/**
 * Where an address leads, as a browser reads it: to the reader's own origin, to a host, to a
 * program such as that for mail, or nobody knows.
 */
export type Destination =
  | { readonly to: 'own' }
  | { readonly to: 'program' }
  | { readonly to: 'unknown' }
  | { readonly to: 'host'; readonly host: string }

/** Two origins, since `https:name` is relative on one and a host on the other. */
const ORIGINS = ['https://own.invalid/', 'http://own.invalid/']
/** Characters; longer ones are not read. */
const LONGEST = 4_000
const PROGRAMS: ReadonlySet<string> = new Set(['mailto:', 'tel:', 'sms:'])

/**
 * @param address as it stands in Markdown or in an attribute; what is escaped before its query is
 *   not seen through
 */
export function destinationOf(address: string): Destination {
  if (address.length > LONGEST) return { to: 'unknown' }
  const [path = ''] = address.split(/[?#]/, 1)
  if (/[&\\<\]]/.test(path)) return { to: 'unknown' }
  const hosts = new Set<string>()
  for (const origin of ORIGINS) {
    const url = URL.parse(address, origin)
    if (!url) return { to: 'unknown' }
    if (PROGRAMS.has(url.protocol)) return { to: 'program' }
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return { to: 'unknown' }
    hosts.add(url.hostname)
  }
  const [host = '', other] = hosts
  if (other !== undefined) return { to: 'host', host: host === 'own.invalid' ? other : host }
  return host === 'own.invalid' ? { to: 'own' } : { to: 'host', host }
}

/** A host as text that readers do not make a link of by its first label. */
export const shownHost = (host: string): string => host.replace(/^(?:www\.)+/, '')
