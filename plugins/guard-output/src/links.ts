import type { Span } from './finding.ts'

/** An image or a link in a text, with what may stand there instead. */
export interface Link extends Span {
  readonly url: URL
  readonly image: boolean
  readonly instead: string
}

const LONGEST_LABEL = 300
const LONGEST_ADDRESS = 4_008
/** Characters of a tag before and behind its address. */
const LONGEST_TAG = 500

const TARGET = /\]\(\s*<?(?=https?:\/\/[^\s)>])/gi
const TITLE_ENDS = /["')]\s*\)/gy
const DEFINITION = /^[ \t]*\[[^\]\n]{1,300}\]:\s*<?(https?:\/\/[^\s>]{1,4000})>?[^\n]*/gim
const TAG = /<(img|a|iframe|source|video|audio)\b/gi
const ATTRIBUTE = /\b(?:src|href|srcset)\s*=\s*["']?(?=https?:\/\/[^\s"'>])/gi
const BARE = /(?<![("'=<\w/])<?(https?:\/\/[^\s<>"'`)\]]{1,4000})>?/gi

interface Form extends Span {
  readonly address: string
  readonly image: boolean
  readonly words: string
}

/**
 * Every address of a text that somebody may follow, or a viewer may load by itself. Each form is
 * read once from left to right, with bounded steps back, so that the work grows with the text and
 * nothing else.
 */
export function linksIn(text: string): readonly Link[] {
  if (!/https?:\/\//i.test(text)) return []
  // In this order: what is one form is not another as well.
  const forms = [markdownIn(text), definitionsIn(text), tagsIn(text), bareIn(text)]
  return forms.reduce<readonly Link[]>((found, more) => merged(found, more.flatMap(linkOf)), [])
}

function linkOf({ start, end, address, image, words }: Form): readonly Link[] {
  const url = URL.parse(address)
  return url
    ? [
        {
          start,
          end,
          url,
          image,
          instead:
            words === ''
              ? `[${image ? 'image' : 'link'} to ${url.host} removed]`
              : `${words} [link to ${url.host} removed]`,
        },
      ]
    : []
}

function markdownIn(text: string): readonly Form[] {
  const found: Form[] = []
  const runs = new Runs(text, /[\s)>]/g)
  for (const { 0: begin, index } of text.matchAll(TARGET)) {
    const last = found.at(-1)?.end ?? 0
    const label = index < last ? undefined : labelBefore(text, index, last)
    if (label === undefined) continue
    const from = index + begin.length
    const behind = runs.endOf(from)
    const end =
      behind - from > LONGEST_ADDRESS
        ? undefined
        : endOfTarget(text, text[behind] === '>' ? behind + 1 : behind)
    if (end === undefined) continue
    const image = text.charAt(label - 1) === '!' && label > last
    found.push({
      start: image ? label - 1 : label,
      end,
      address: text.slice(from, behind),
      image,
      words: image ? '' : text.slice(label + 1, index),
    })
  }
  return found
}

/** Where addresses end, however many begin inside of one: each sign is read once. */
class Runs {
  readonly #text: string
  readonly #ends: RegExp
  #end = -1

  constructor(text: string, ends: RegExp) {
    this.#text = text
    this.#ends = ends
  }

  /** @param from not before the place that was asked for last */
  endOf(from: number): number {
    if (from <= this.#end) return this.#end
    this.#ends.lastIndex = from
    this.#end = this.#ends.exec(this.#text)?.index ?? this.#text.length
    return this.#end
  }
}

/**
 * The first bracket of the words that a bracket closes; a label has neither a closing bracket nor a
 * new line in it.
 */
function labelBefore(text: string, close: number, from: number): number | undefined {
  let first: number | undefined
  for (let at = close - 1; at >= Math.max(from, close - LONGEST_LABEL - 1); at--) {
    const sign = text[at]
    if (sign === ']' || sign === '\n') break
    if (sign === '[') first = at
  }
  return first
}

/** Behind the bracket that closes a target: perhaps a title stands before it. */
function endOfTarget(text: string, from: number): number | undefined {
  const space = pastSpace(text, from)
  if (text[space] === ')') return space + 1
  if (space === from || !/["'(]/.test(text.charAt(space))) return undefined
  for (
    let at = space + 1;
    at <= space + 1 + LONGEST_LABEL && at < text.length && text[at] !== '\n';
    at++
  ) {
    TITLE_ENDS.lastIndex = at
    if (TITLE_ENDS.test(text)) return TITLE_ENDS.lastIndex
  }
  return undefined
}

function pastSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text.charAt(at))) at++
  return at
}

const definitionsIn = (text: string): readonly Form[] =>
  [...text.matchAll(DEFINITION)].map(({ 0: whole, 1: address = '', index }) => ({
    start: index,
    end: index + whole.length,
    address,
    image: true,
    words: '',
  }))

const bareIn = (text: string): readonly Form[] =>
  [...text.matchAll(BARE)].map(({ 0: whole, 1: address = '', index }) => ({
    start: index,
    end: index + whole.length,
    address,
    image: false,
    words: '',
  }))

/** Tags with an address: both are looked up once, and brought together by their places. */
function tagsIn(text: string): readonly Form[] {
  if (text.search(TAG) === -1) return []
  const runs = new Runs(text, /[\s"'>]/g)
  const attributes = [...text.matchAll(ATTRIBUTE)].map(({ 0: begin, index }) => {
    const from = index + begin.length
    return { start: index, from, end: Math.min(runs.endOf(from), from + LONGEST_ADDRESS) }
  })
  const found: Form[] = []
  let next = 0
  let close = -1
  for (const { 0: begin, 1: tag = '', index } of text.matchAll(TAG)) {
    const from = index + begin.length
    if (index < (found.at(-1)?.end ?? 0)) continue
    if (close < from) close = text.indexOf('>', from)
    if (close === -1) break
    // An attribute that ends too far before the end of this tag does so for every later tag with
    // the same end.
    while (
      (attributes[next]?.start ?? Infinity) < from ||
      (attributes[next]?.end ?? Infinity) < close - LONGEST_TAG
    )
      next++
    const attribute = attributes[next]
    if (!attribute || attribute.start > from + LONGEST_TAG || attribute.end > close) continue
    found.push({
      start: index,
      end: close + 1,
      address: text.slice(attribute.from, attribute.end),
      image: tag.toLowerCase() !== 'a',
      words: '',
    })
  }
  return found
}

/** Merges two ordered lists; of overlapping links the earlier list wins. */
function merged(first: readonly Link[], more: readonly Link[]): readonly Link[] {
  const all: Link[] = []
  let next = 0
  for (const one of more) {
    for (let ahead = first[next]; ahead && ahead.end <= one.start; ahead = first[++next])
      all.push(ahead)
    const ahead = first[next]
    if (!(ahead && ahead.start < one.end) && (all.at(-1)?.end ?? 0) <= one.start) all.push(one)
  }
  return [...all, ...first.slice(next)]
}

/**
 * A short payload is enough in an image, which is loaded without a click; links have to be
 * followed, and long ones are common.
 */
const IN_IMAGE = { value: 8, segment: 24 }
const IN_LINK = { value: 40, segment: 80 }

/** Whether an address says more than where something is. */
export function carriesData({ url, image }: Link): boolean {
  const most = image ? IN_IMAGE : IN_LINK
  const values = [...url.searchParams].flatMap(([name, value]) => [name, value])
  if (values.some((value) => value.length >= most.value) || url.hash.length > most.value)
    return true
  if (
    url.username !== '' ||
    url.password !== '' ||
    url.hostname.split('.').some((label) => label.length >= 32)
  )
    return true
  return (
    url.pathname.split('/').some((segment) => segment.length >= most.segment) ||
    (image && (url.pathname.match(/%[\da-f]{2}/gi)?.length ?? 0) >= 3)
  )
}

const HOSTS = /\bhttps?:\/\/([\w.-]+)/gi

/** Hosts that a text names. */
export const hostsIn = (text: string): readonly string[] =>
  [...text.matchAll(HOSTS)].flatMap(([, host = '']) => (host === '' ? [] : [host.toLowerCase()]))

/** A host, or one that stands below it. */
export const isBelow = (host: string, known: string): boolean =>
  host === known || host.endsWith(`.${known}`)
