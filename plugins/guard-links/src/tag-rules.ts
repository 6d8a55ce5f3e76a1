import { destinationOf } from './address.ts'
import type { HtmlAttribute, HtmlTag } from './html-tag.ts'

/** Which hosts a text may make its reader's client turn to. */
export interface LinkPolicy {
  /** Hosts that images may be loaded from. */
  readonly loads: (host: string) => boolean
  /**
   * Hosts that the person or the agent's files have named; left out where that is not known, and
   * links are not judged.
   */
  readonly knows?: (host: string) => boolean
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** What is between them is no text, but a program, a style, a document, or unread. */
const NEVER = words(
  'script style iframe frame frameset object embed applet link meta base portal fencedframe svg math template textarea title xmp plaintext noscript noembed noframes image use feimage bgsound',
)
/** They load what `src` and `poster` name. */
const MEDIA = words('img video audio source track')
const ELEMENTS =
  words(`a abbr acronym address area article aside b bdi bdo big blink blockquote body br button canvas caption center cite code col colgroup data datalist dd del
  details dfn dialog dir div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i input ins kbd label legend li main map mark marquee menu
  menuitem meter nav nobr ol optgroup option output p param picture pre progress q rp rt ruby s samp search section select slot small span strike strong sub summary sup table tbody td
  tfoot th thead time tr tt u ul var wbr ${[...MEDIA].join(' ')}`)

/** They load, run or restyle, on whatever element they stand. */
const NEVER_ATTRIBUTES = words(
  'style src srcset imagesrcset href xlink:href poster data background srcdoc action formaction ping content http-equiv manifest code codebase archive classid lowsrc dynsrc is',
)
const SPEAKS_OUTSIDE = /url\s*\(|[/\\]\s*[/\\]|[a-z]:\S|&/i

/**
 * Whether it is sure that a tag neither loads nor runs anything, nor leads to a host that its
 * reader does not see. What is no tag for CommonMark may end elsewhere once Markdown has been read,
 * and is never sure.
 */
export function isHarmless(
  { name, attributes, closed, wellFormed }: HtmlTag,
  policy: LinkPolicy,
): boolean {
  if (!closed || isRefused({ name, wellFormed })) return false
  // Of these Markdown, or what is done about images and links, makes something else.
  if (
    [name, ...attributes.flatMap((one) => [one.name, one.value])].some((part) =>
      /[\\\]]|!\[/.test(part),
    )
  )
    return false
  return attributes.every((attribute) => passes(name, attribute, policy))
}

/** Whether so much of a tag is enough to know that it is not harmless, whatever comes. */
export const isRefused = ({ name, wellFormed }: Pick<HtmlTag, 'name' | 'wellFormed'>): boolean =>
  NEVER.has(name) || !wellFormed

function passes(
  element: string,
  { name, value }: HtmlAttribute,
  { loads, knows }: LinkPolicy,
): boolean {
  if (name.startsWith('on')) return false
  if (element === 'a' && name === 'href') {
    const destination = destinationOf(value)
    return destination.to === 'host'
      ? (knows?.(destination.host) ?? true)
      : destination.to !== 'unknown'
  }
  if (MEDIA.has(element) && (name === 'src' || name === 'poster')) {
    const destination = destinationOf(value)
    return destination.to === 'host' ? loads(destination.host) : destination.to === 'own'
  }
  // What no standard knows has no attributes that do anything but those that all elements have.
  return !NEVER_ATTRIBUTES.has(name) && (!ELEMENTS.has(element) || !SPEAKS_OUTSIDE.test(value))
}
