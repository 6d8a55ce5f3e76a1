import { destinationOf } from './address.ts'
import { CodeBlock } from './code-block.ts'
import { readTag } from './html-tag.ts'
import { isHarmless, isRefused, type LinkPolicy } from './tag-rules.ts'

/** What of a text is let go next, and what in its place; `wait`: what decides it has not come. */
type Step = { readonly take: number; readonly give: string } | 'wait'

const SIGNS = /[!<\]`~]/g
const IMAGE = /!\[([^[\]\n`<\\]{0,300})\]\(([\w.~/?#%=&+@:,;-]{1,2000})(?: "[^"\n\\]{0,200}")?\)/y
const IMAGE_BEGUN =
  /^!(?:\[(?:[^[\]\n`<\\]{0,300}(?:\](?:\((?:[\w.~/?#%=&+@:,;-]{1,2000}(?: (?:"[^"\n\\]{0,200}"?)?)?)?)?)?)?)?$/
const IN_ANGLES = /<([^<>\n]{0,4000})>/y
const LONGEST_IMAGE = 2_600
/** What is no address for sure may be a tag. */
const PLAIN = /^(?:https?:|mailto:|[/#?.]|$)/i
const SPACE = /\s{0,64}/y
const END_OF_RUN = /[\s)>]/g
const MOST_TARGET = 4_100
const LONGEST_TAG = 1_000
const HANDLE_ENDS = /\[redacted:[\w.-]{1,120}:[\da-f]{4,32}$/
const RUNS = /^<(?:javascript|vbscript|data|blob|file):/i
const RUNS_BEGUN = 12
/** What is kept of what was let go: words of a link, the line before. */
const MOST_BEFORE = 400
/** It is shortened when it has grown to so much, and not with each piece. */
const LONGEST_PAST = 4_096
/** What waits is looked at again when it has grown by this part of it. */
const GROWTH = 8

/**
 * Takes from a text what makes its reader's client load something by itself, and shows where links
 * lead. It does not ask what Markdown or HTML would make of the whole: readers differ in that. Each
 * place where one of them could begin something that loads is either sure not to, or made to stand
 * for itself (`! [`, `&lt;`, `\]`). Only blocks of code stay as they are. Goes once from left to
 * right; twice gives the same.
 *
 * Sources: CommonMark 0.31 (images, links, raw HTML, fenced code), the HTML standard
 * (tokenization).
 */
export class LinkFilter {
  readonly #policy: LinkPolicy
  #held = ''
  #seen = 0
  /** The end of what was let go, as it was before. */
  #past = ''
  #block: CodeBlock | undefined
  /**
   * Where the run of an address ends that was looked up last, so that many in one are no more work
   * than one.
   */
  #runEnd = -1
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

  #pass(over: boolean): string {
    const text = this.#held
    let out = ''
    let at = 0
    this.#runEnd = -1
    while (at < text.length) {
      const step = this.#block
        ? this.#inBlock(text, at, over, this.#block)
        : this.#step(text, at, over)
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
      : (this.#past + text.slice(0, at)).slice(-MOST_BEFORE)
  }

  #inBlock(text: string, from: number, over: boolean, block: CodeBlock): Step {
    const { at, ended } = block.upto(text, from, over)
    if (ended) this.#block = undefined
    else if (at === from) return 'wait'
    return { take: at - from, give: text.slice(from, at) }
  }

  #step(text: string, from: number, over: boolean): Step {
    SIGNS.lastIndex = from
    const at = SIGNS.exec(text)?.index ?? text.length
    if (at > from) return { take: at - from, give: text.slice(from, at) }
    switch (text[at]) {
      case '!':
        return this.#image(text, at, over)
      case '<':
        return this.#tag(text, at, over)
      case ']':
        return this.#target(text, at, over)
      default:
        return this.#fence(text, at, over)
    }
  }

  #image(text: string, at: number, over: boolean): Step {
    IMAGE.lastIndex = at
    const image = IMAGE.exec(text)
    if (image) {
      const destination = destinationOf(image[2] ?? '')
      const {
        0: { length },
      } = image
      if (
        destination.to === 'own' ||
        (destination.to === 'host' && this.#policy.loads(destination.host))
      )
        return { take: length, give: image[0] }
    } else if (!over && IMAGE_BEGUN.test(text.slice(at, at + LONGEST_IMAGE))) return 'wait'
    return { take: 1, give: text[at + 1] === '[' ? '! ' : '!' }
  }

  #tag(text: string, at: number, over: boolean): Step {
    const as = (give: string): Step => ({ take: 1, give })
    const next = text[at + 1]
    if (next === undefined) return over ? as('<') : 'wait'
    if (next === '!' || next === '?') this.#closed = false
    if (!/[a-z]/i.test(next)) return as('<')
    const tag = readTag(text, at + 1, Math.min(text.length, at + LONGEST_TAG))
    const nameGoesOn = at + 1 + tag.name.length >= text.length
    if (!tag.closed && !over && text.length - at < LONGEST_TAG && (nameGoesOn || !isRefused(tag)))
      return 'wait'
    if (RUNS.test(text.slice(at, at + RUNS_BEGUN)) || !isHarmless(tag, this.#policy))
      return as('&lt;')
    if (tag.name === 'pre') this.#closed = false
    return as('<')
  }

  /** Behind the words of a link, or the name of one: where it leads. */
  #target(text: string, at: number, over: boolean): Step {
    const leave: Step = { take: 1, give: ']' }
    const next = text[at + 1]
    if (next === undefined) return over ? leave : 'wait'
    if (next !== '(' && next !== ':') return leave
    const before = this.#before(text, at)
    if (isEscaped(before) || HANDLE_ENDS.test(before)) return leave
    const address = this.#addressAt(text, at + 2, over)
    if (address === undefined) return 'wait'
    const destination = destinationOf(address)
    if (destination.to === 'own' || destination.to === 'program') return leave
    const escaped: Step = { take: 1, give: '\\]' }
    if (destination.to === 'unknown')
      return next === ':' && !/[:/\\\]]|&[#a-z]|</i.test(address) ? leave : escaped
    const { host } = destination
    if (this.#policy.knows?.(host) ?? true) return leave
    if (next === ':') return escaped
    return wordsOf(before).includes(host) ? leave : { take: 1, give: ` (${host})]` }
  }

  /** The address that stands at a place; nothing while it goes on. */
  #addressAt(text: string, at: number, over: boolean): string | undefined {
    SPACE.lastIndex = at
    const from = at + (SPACE.exec(text)?.[0].length ?? 0)
    const most = at + MOST_TARGET
    IN_ANGLES.lastIndex = from
    const inside = text[from] === '<' ? IN_ANGLES.exec(text)?.[1] : undefined
    if (inside !== undefined) return PLAIN.test(inside) ? inside : `<${inside}`
    if (text[from] === '<' && !over && text.length < most && !/[\n<>]/.test(text.slice(from + 1)))
      return undefined
    if (from > this.#runEnd) {
      END_OF_RUN.lastIndex = from
      this.#runEnd = END_OF_RUN.exec(text)?.index ?? text.length
    }
    if (this.#runEnd === text.length && !over && text.length < most) return undefined
    return text.slice(from, Math.min(this.#runEnd, most))
  }

  #fence(text: string, at: number, over: boolean): Step {
    const found = this.#closed ? CodeBlock.at(text, at, this.#before(text, at), over) : undefined
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

/** The words behind the last bracket that opened. */
const wordsOf = (before: string): string => before.slice(before.lastIndexOf('[') + 1).toLowerCase()

/** Whether an odd number of backslashes stands at the end: what follows stands for itself. */
const isEscaped = (before: string): boolean => (/\\+$/.exec(before)?.[0].length ?? 0) % 2 === 1

/** A text that is whole. */
export function filterLinks(text: string, policy: LinkPolicy): string {
  if (!/!\[|<|\][(:]/.test(text)) return text
  const filter = new LinkFilter(policy)
  return filter.push(text) + filter.flush()
}
