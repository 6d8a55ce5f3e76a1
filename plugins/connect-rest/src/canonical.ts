import { err, ok, type Result } from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'

/**
 * Where a request goes, in the one spelling that is judged and sent.
 *
 * `path` begins with the base path. Its segments are decoded once and in NFC; what would be
 * mistaken for a separator stays encoded in capitals (`%2F %5C %3F %23 %3B %25`), so that the path
 * is read in one way only: `encodePath` gives its bytes back. A slash at the end stays, since some
 * servers want it; for matching it does not count.
 */
export interface Target {
  readonly path: string
  readonly query: string
}

/**
 * Makes the one spelling of an endpoint, or says why it has none.
 *
 * @param base the connection's address, such as `https://api.example.com/v1`
 * @param endpoint what was asked for: a path below the base, perhaps with a query; or an address on
 *   the same origin
 * @returns an error text for the caller: another origin, a path that leaves the base in some
 *   reading, control and invisible characters, what is no percent-encoded UTF-8, separators that
 *   are encoded twice
 * @example canonicalTarget(new URL('https://api.example.com/v1'), '/deals/%37?x=1') // { path: '/v1/deals/7', query: 'x=1' }
 * @see https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2
 */
export function canonicalTarget(base: URL, endpoint: string): Result<Target, string> {
  const asked = endpoint.replace(/^ +| +$/g, '')
  if (!asked.isWellFormed() || HIDDEN.test(asked))
    return err('the endpoint holds control or invisible characters')
  const mark = asked.indexOf('?')
  const [writtenPath, query] =
    mark === -1 ? [asked, ''] : [asked.slice(0, mark), asked.slice(mark + 1)]
  if (/#(?:.*[/\\])?(?:\.|%2e){1,2}(?:[/\\]|$)/i.test(writtenPath))
    return err('an endpoint has no dot segments behind #: write the path itself')
  // No request has a fragment, so that one is a letter of its path.
  const rawPath = writtenPath.replaceAll('#', '%23')
  if (rawPath.includes('\\')) return err('an endpoint has no backslashes: write / or %5C')
  const below = belowOrigin(base, rawPath)
  if (!below.ok) return below
  const root = segmentsOf(base.pathname)
  const given = decodeSegments(
    below.value.absolute
      ? rawSegments(below.value.path)
      : [...rawSegments(base.pathname), ...rawSegments(below.value.path)],
  )
  if (!given.ok) return given
  const resolved = resolveDots(given.value)
  if (!resolved || !isBelow(resolved, root))
    return err(`the endpoint leads out of ${base.pathname}`)
  const segments = withoutRepeat(resolved, root)
  const path = `/${segments.join('/')}`
  // Of the base itself, it is as its address says.
  const slash =
    path !== '/' && (segments.length > root.length ? rawPath : base.pathname).endsWith('/')
      ? '/'
      : ''
  if (readingsOf(path).some((reading) => leaves(reading, root)))
    return err(`the endpoint can be read as leading out of ${base.pathname}`)
  return ok({ path: `${path}${slash}`, query })
}

/** The encoded form of a canonical path: decoding it once gives its segments. */
export function encodePath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu, (character) =>
    encodeURIComponent(character),
  )
}

/** Control, format and surrogate characters: parsers drop them, or they are invisible. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}]/u
/** Encoded again below its first encoding, with any number of `%25` between. */
const TWICE = /%(?:25)*(?:2[ef]|5c|3[bf]|23|[01][0-9a-f]|7f)/i

/** What of the endpoint is a path: `absolute` has the base path already. */
function belowOrigin(
  base: URL,
  path: string,
): Result<{ readonly path: string; readonly absolute: boolean }, string> {
  const folded = fold(path)
  if (/^https?:\/\/[^/]/i.test(path)) {
    const [, scheme = '', authority = '', rest = ''] =
      /^(https?):\/\/([^/]*)(.*)$/i.exec(path) ?? []
    const url =
      authority.includes('@') || authority.endsWith('.') || !/^[\x21-\x7e]+$/.test(authority)
        ? null
        : URL.parse(`${scheme}://${authority}`)
    return url?.origin === base.origin
      ? ok({ path: rest, absolute: true })
      : err(
          `the endpoint names another host than ${base.host}: write a path below ${base.pathname}`,
        )
  }
  if (/^[/\\]{2}/.test(folded)) return err('an endpoint begins with one slash: two name a host')
  if (/^[@:]/.test(folded)) return err('an endpoint begins with a slash or a word')
  if (/^[^/\\]*:/.test(folded))
    return err(`an endpoint has no scheme: write a path below ${base.pathname}`)
  return ok({ path, absolute: false })
}

const rawSegments = (path: string): readonly string[] =>
  path.split('/').filter((segment) => segment !== '')
const segmentsOf = (path: string): readonly string[] =>
  resolveDots(rawSegments(path).map((segment) => canonicalSegment(segment) ?? segment)) ?? []

function decodeSegments(raw: readonly string[]): Result<readonly string[], string> {
  const segments: string[] = []
  for (const one of raw) {
    const segment = canonicalSegment(one)
    if (segment === undefined) return err(`"${textStart(one, 80)}" is no percent-encoded UTF-8`)
    const text = decodeOnce(segment)
    if (HIDDEN.test(text)) return err('the endpoint holds control or invisible characters')
    if (TWICE.test(text)) return err('the endpoint holds a separator that is encoded twice')
    if (vanishes(text))
      return err('the endpoint holds a segment that is nothing but parameters (;) or dots')
    segments.push(segment)
  }
  return ok(segments)
}

/** Decoded once; what separates stays encoded, a raw semicolon raw. */
function canonicalSegment(raw: string): string | undefined {
  const decoded = raw.split(';').map((part) => {
    const text = decode(part)
    return text === undefined
      ? undefined
      : text
          .normalize('NFC')
          .replace(/[%/\\?#;]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  })
  return decoded.includes(undefined) ? undefined : decoded.join(';')
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const decodeOnce = (segment: string): string => decode(segment) ?? segment

/** `..;x`, `;x`, `. .`: servers that drop parameters, dots or spaces would go elsewhere. */
function vanishes(segment: string): boolean {
  const [name = '', ...parameters] = segment.split(';')
  if (parameters.length > 0 && /^\.{0,2}$/.test(name)) return true
  return /^[. ]+$/.test(segment) && !/^\.{1,2}$/.test(segment)
}

/** `undefined` where it climbs above the root. */
function resolveDots(segments: readonly string[]): readonly string[] | undefined {
  const resolved: string[] = []
  for (const segment of segments) {
    if (segment === '..') {
      if (resolved.pop() === undefined) return undefined
    } else if (segment !== '.' && segment !== '') resolved.push(segment)
  }
  return resolved
}

/** A path with its dot segments gone; `undefined` where they lead above the root. */
export function resolved(path: string): string | undefined {
  const segments = resolveDots(path.split('/'))
  return segments && `/${segments.join('/')}`
}

const isBelow = (segments: readonly string[], root: readonly string[]): boolean =>
  root.every((segment, at) => segments[at] === segment)
const same = (one: string | undefined, other: string): boolean =>
  one?.toLowerCase() === other.toLowerCase()

/** An endpoint that begins with the base path has it already: `/v1/deals` below `/v1`. */
function withoutRepeat(segments: readonly string[], root: readonly string[]): readonly string[] {
  const rest = segments.slice(root.length)
  return root.length > 0 && root.every((segment, at) => same(rest[at], segment))
    ? [...root, ...rest.slice(root.length)]
    : segments
}

function leaves(path: string, root: readonly string[]): boolean {
  const resolved = resolveDots(path.split('/'))
  return !resolved || !root.every((segment, at) => same(resolved[at], segment))
}

/** Slashes that no normalisation folds. */
const SLASHES = /[\u2044\u2215]/g
const fold = (text: string): string => text.normalize('NFKC').replace(SLASHES, '/')

/**
 * Every way in which servers might read a canonical path, itself first, dot segments not yet
 * resolved: encoded separators decoded, letters decoded a second time, look-alikes folded,
 * backslashes as slashes, matrix parameters dropped, dots and spaces at the end of a segment
 * dropped. A guard classifies each of them; the strictest counts.
 *
 * @example readingsOf('/v1/admin%2Fusers') // ['/v1/admin%2Fusers', '/v1/admin/users']
 */
export function readingsOf(path: string): readonly string[] {
  let readings: ReadonlySet<string> = new Set([path])
  for (const read of READERS) readings = new Set([...readings].flatMap((one) => [one, read(one)]))
  return [...readings]
}

/** In the order in which a chain of servers would do them; each may or may not. */
const READERS: readonly ((path: string) => string)[] = [
  fold,
  (path) => path.replace(/%(?:2F|5C|3F|23|3B)/gi, decodeOnce),
  (path) => path.replaceAll('%25', '%').replace(/(?:%[0-9a-f]{2})+/gi, decodeOnce),
  (path) => path.replaceAll('\\', '/'),
  (path) => path.replace(/[?#].*$/s, ''),
  (path) =>
    path
      .split('/')
      .map((segment) => segment.replace(/;.*$/s, ''))
      .join('/'),
  (path) =>
    path
      .split('/')
      .map((segment) => (/^\.{1,2}$/.test(segment) ? segment : segment.replace(/[. ]+$/, '')))
      .join('/'),
]
