import { destinationOf, shownHost, type Destination } from './address.ts'
import { CodeBlock } from './code-block.ts'
import { readTag } from './html-tag.ts'
import {
  addressBegunAt,
  bareAddressAt,
  IMAGE,
  IMAGE_BEGUN,
  isEscaped,
  LINK,
  LINK_BEGUN,
  LONGEST_LINK,
  SIGNS,
  targetAt,
} from './link-forms.ts'
import { isHarmless, isRefused, type LinkPolicy } from './tag-rules.ts'

/** What of a text is let go next, and what in its place; `wait`: what decides it has not come. */
type Step = { readonly take: number; readonly give: string } | 'wait'

const LONGEST_TAG = 1_000
const HANDLE_ENDS = /\[redacted:[\w.-]{1,120}:[\da-f]{4,32}$/
const LONGEST_HANDLE = 165
const RUNS = /^<(?:javascript|vbscript|data|blob|file):/i
const RUNS_BEGUN = 12
/** A tag for HTML, and for CommonMark an address. */
const IN_ANGLES = /^[a-z][a-z\d+.-]{1,31}:/
/** What is kept of what was let go: words of a link, the line before. */
const MOST_BEFORE = 400
/** It is shortened when it has grown to so much, and not with each piece. */
const LONGEST_PAST = 4_096
/** What waits is looked at again when it has grown by this part of it. */
const GROWTH = 8

/**
 * Takes from a text what makes its reader's client load something by itself, and makes text of
 * links to hosts that nobody named. It does not ask what Markdown or HTML would make of the whole:
 * readers differ in that. Each place where one of them could begin something is either sure to be
 * allowed, or made to stand for itself (`! [`, `&lt;`, `\]`). Only blocks of code stay as they are.
 * Goes once from left to right; twice gives the same.
 *
 * Sources: CommonMark 0.31 and GFM 0.29 (images, links, autolinks, raw HTML, fenced code), the HTML
 * standard (tokenization).
 */
export class LinkFilter {
  readonly #policy: LinkPolicy
  #held = ''
  #seen = 0
  /** The end of what was let go, as it was before. */
  #past = ''
  #block: CodeBlock | undefined
  /** Whether nothing is open that would make a block of code something else. */
  #closed = true

  constructor(policy: LinkPolicy) {
    this.#policy = policy
  }

  /** @returns what may leave now */
  push(piece: string): string {
    if (piece === '') return ''
    this.#held += piece
    return this.#held.length - this.#seen < this.#seen / GROWTH ? '' : this.#pass(false)
  }

  flush(): string {
    return this.#pass(true)
  }

  #pass(isOver: boolean): string {
    const text = this.#held
    let out = ''
    let at = 0
    while (at < text.length) {
      const step = this.#block
        ? this.#inBlock(text, at, isOver, this.#block)
        : this.#step(text, at, isOver)
      if (step === 'wait') break
      out += step.give
      at += step.take
    }
    this.#past += text.slice(0, at)
    if (this.#past.length > LONGEST_PAST) this.#past = this.#past.slice(-MOST_BEFORE)
    this.#held = text.slice(at)
    this.#seen = this.#held.length
    return out
  }

  /** What stands before a place. */
  #before(text: string, at: number): string {
    return at >= MOST_BEFORE
      ? text.slice(at - MOST_BEFORE, at)
      : (this.#past.slice(-MOST_BEFORE) + text.slice(0, at)).slice(-MOST_BEFORE)
  }

  #inBlock(text: string, from: number, isOver: boolean, block: CodeBlock): Step {
    const { at, ended } = block.upto(text, from, isOver)
    if (ended) this.#block = undefined
    else if (at === from) return 'wait'
    return { take: at - from, give: text.slice(from, at) }
  }

  #step(text: string, from: number, isOver: boolean): Step {
    SIGNS.lastIndex = from
    const sign = SIGNS.exec(text)?.index
    const at = sign ?? (isOver ? text.length : addressBegunAt(text, from))
    if (at > from) return { take: at - from, give: text.slice(from, at) }
    if (sign === undefined) return 'wait'
    switch (text[at]) {
      case '!':
        return this.#image(text, at, isOver)
      case '<':
        return this.#tag(text, at, isOver)
      case '[':
        return this.#link(text, at, isOver)
      case ']':
        return this.#target(text, at, isOver)
      case '`':
      case '~':
        return this.#fence(text, at, isOver)
      default:
        return this.#bare(text, at, isOver)
    }
  }

  /** The host of an address that nobody named; nothing where links are not judged. */
  #unnamedHost(destination: Destination): string | undefined {
    const { knows } = this.#policy
    return destination.to === 'host' && knows && !knows(destination.host)
      ? destination.host
      : undefined
  }

  #image(text: string, at: number, isOver: boolean): Step {
    IMAGE.lastIndex = at
    const image = IMAGE.exec(text)
    if (image) {
      const destination = destinationOf(image[2] ?? '')
      const isAllowed =
        destination.to === 'own' ||
        (destination.to === 'host' && this.#policy.loads(destination.host))
      if (isAllowed) return { take: image[0].length, give: image[0] }
    } else if (!isOver && IMAGE_BEGUN.test(text.slice(at, at + LONGEST_LINK))) return 'wait'
    return { take: 1, give: text[at + 1] === '[' ? '! ' : '!' }
  }

  /** A link in one piece, with plain words and a plain address. */
  #link(text: string, at: number, isOver: boolean): Step {
    LINK.lastIndex = at
    const link = LINK.exec(text)
    if (!link)
      return !isOver && LINK_BEGUN.test(text.slice(at, at + LONGEST_LINK))
        ? 'wait'
        : { take: 1, give: '[' }
    const [match, words = '', address = '', title = ''] = link
    const destination = destinationOf(address)
    const shown = filterLinks(words, this.#policy)
    const host = this.#unnamedHost(destination)
    if (host !== undefined) return { take: match.length, give: withHost(shown, host) }
    return destination.to === 'unknown'
      ? { take: 1, give: '[' }
      : { take: match.length, give: `[${shown}](${address}${title})` }
  }

  #tag(text: string, at: number, isOver: boolean): Step {
    const as = (give: string): Step => ({ take: 1, give })
    const next = text[at + 1]
    if (next === undefined) return isOver ? as('<') : 'wait'
    if (next === '!' || next === '?') this.#closed = false
    if (!/[a-z]/i.test(next)) return as('<')
    const tag = readTag(text, at + 1, Math.min(text.length, at + LONGEST_TAG))
    const nameGoesOn = at + 1 + tag.name.length >= text.length
    const mayEnd = text.length - at < LONGEST_TAG && (nameGoesOn || !isRefused(tag))
    if (!tag.closed && !isOver && mayEnd) return 'wait'
    if (RUNS.test(text.slice(at, at + RUNS_BEGUN)) || !isHarmless(tag, this.#policy))
      return as('&lt;')
    const tagText = text.slice(at, tag.end)
    if (IN_ANGLES.test(tag.name)) return this.#inAngles(tagText)
    if (tag.name === 'pre') this.#closed = false
    return { take: tagText.length, give: tagText }
  }

  /** `<https://host/path>` */
  #inAngles(autolink: string): Step {
    const destination = destinationOf(autolink.slice(1, -1))
    if (destination.to === 'unknown') return { take: 1, give: '&lt;' }
    const host = this.#unnamedHost(destination)
    return { take: autolink.length, give: host === undefined ? autolink : shownHost(host) }
  }

  /** Behind the words of a link, or the name of one: where it leads. */
  #target(text: string, at: number, isOver: boolean): Step {
    const leave: Step = { take: 1, give: ']' }
    const next = text[at + 1]
    const before = this.#before(text, at)
    if (HANDLE_ENDS.test(before.slice(-LONGEST_HANDLE))) return leave
    if (next === undefined) return isOver ? leave : 'wait'
    if ((next !== '(' && next !== ':') || isEscaped(before)) return leave
    const target = targetAt(text, at + 2, isOver)
    if (target === undefined) return 'wait'
    const destination = destinationOf(target.address)
    if (destination.to === 'own' || destination.to === 'program') return leave
    if (destination.to === 'unknown')
      return next === ':' && !/[:/\\\]]|&[#a-z]|</i.test(target.address)
        ? leave
        : { take: 1, give: '\\]' }
    const host = this.#unnamedHost(destination)
    if (host === undefined) return leave
    const give = next === ':' ? `\\]: ${shownHost(host)}` : `\\] (${shownHost(host)})`
    return { take: target.end - at, give }
  }

  /** An address that stands in the text, which many readers make a link of. */
  #bare(text: string, at: number, isOver: boolean): Step {
    const first: Step = { take: 1, give: text.charAt(at) }
    if (!this.#policy.knows) return first
    const found = bareAddressAt(text, at, this.#before(text, at).slice(-1), isOver)
    if (found === 'wait' || found === undefined) return found ?? first
    const host = this.#unnamedHost(destinationOf(found.address))
    return {
      take: found.text.length,
      give: host === undefined ? found.text : shownHost(host),
    }
  }

  #fence(text: string, at: number, isOver: boolean): Step {
    const found = this.#closed ? CodeBlock.at(text, at, this.#before(text, at), isOver) : undefined
    if (found === 'wait') return 'wait'
    if (found) {
      this.#block = found.block
      return { take: found.from - at, give: text.slice(at, found.from) }
    }
    const sign = text.charAt(at)
    let end = at + 1
    while (text[end] === sign) end++
    return { take: end - at, give: text.slice(at, end) }
  }
}

/** `words (host)`, or the words alone where they name the host. */
const withHost = (words: string, host: string): string =>
  words.toLowerCase().includes(host) ? words : `${words} (${shownHost(host)})`.trimStart()

/** A text that is whole. */
export function filterLinks(text: string, policy: LinkPolicy): string {
  if (!/!\[|<|\][(:]|\/\/|www\./i.test(text)) return text
  const filter = new LinkFilter(policy)
  return filter.push(text) + filter.flush()
}
