/** Where something may begin that loads, or leads to a host. */
export const SIGNS = /[!<[\]`~]|(?:https?|ftp):\/\/|www\.|\/\//gi

const WORDS = /[^[\]\n`<\\]{0,300}/.source
const ADDRESS = String.raw`[\w.~/?#%=&+@:,;-]{1,2000}`
const TITLE = String.raw`(?: "[^"\n\\]{0,200}")?`
const TITLE_BEGUN = String.raw`(?: (?:"[^"\n\\]{0,200}"?)?)?`

/** An image, or a link, that every reader takes for one and the same. */
export const IMAGE = new RegExp(String.raw`!\[(${WORDS})\]\((${ADDRESS})(${TITLE})\)`, 'y')
export const LINK = new RegExp(String.raw`\[(${WORDS})\]\((${ADDRESS})(${TITLE})\)`, 'y')
const begun = String.raw`\[(?:${WORDS}(?:\](?:\((?:${ADDRESS}${TITLE_BEGUN})?)?)?)?`
export const IMAGE_BEGUN = new RegExp(`^!(?:${begun})?$`)
export const LINK_BEGUN = new RegExp(`^${begun}$`)
/** Characters of the longest of them. */
export const LONGEST_LINK = 2_600

const IN_ANGLES = /<([^<>\n]{0,4000})>/y
/** What is no address for sure may be a tag. */
const PLAIN = /^(?:https?:|mailto:|[/#?.]|$)/i
const SPACE = /\s{0,64}/y
const LONGEST_TARGET = 4_100
const ENDS_TARGET = /[\s)>[\]]/
const ENDS_ADDRESS = /[\s<>"'`)\]]/
const BEGUN =
  /(?<![A-Za-z\d])(?:h(?:t(?:t(?:p(?:s?(?::\/?)?)?)?)?)?|f(?:t(?:p(?::\/?)?)?)?|w(?:ww?)?|\/)$/i
const LONGEST_BEGUN = 9

/** Whether an odd number of backslashes stands at the end: what follows stands for itself. */
export function isEscaped(before: string): boolean {
  let count = 0
  while (before[before.length - 1 - count] === '\\') count++
  return count % 2 === 1
}

/** Where at the end of a text an address may have begun; its end where none has. */
export function addressBegunAt(text: string, from: number): number {
  const start = Math.max(from, text.length - LONGEST_BEGUN)
  const index = BEGUN.exec(text.slice(start))?.index
  return index === undefined ? text.length : start + index
}

/** The address of a link, and where it ends in the text. */
export interface Target {
  readonly address: string
  readonly end: number
}

/** The address that stands at a place behind `](` or `]:`; nothing while it goes on. */
export function targetAt(text: string, at: number, isOver: boolean): Target | undefined {
  SPACE.lastIndex = at
  const from = at + (SPACE.exec(text)?.[0].length ?? 0)
  IN_ANGLES.lastIndex = from
  const inside = text[from] === '<' ? IN_ANGLES.exec(text)?.[1] : undefined
  if (inside !== undefined)
    return {
      address: PLAIN.test(inside) ? inside : `<${inside}`,
      end: from + inside.length + 2,
    }
  const isShort = !isOver && text.length < at + LONGEST_TARGET
  if (text[from] === '<' && isShort && !/[\n<>]/.test(text.slice(from + 1))) return undefined
  const run = runAt(text, from, ENDS_TARGET)
  if (run === undefined && isShort) return undefined
  const end = run ?? Math.min(text.length, from + LONGEST_TARGET)
  return { address: text.slice(from, end), end }
}

/** Where a run of characters ends; `undefined` where its end has not come or is far away. */
function runAt(text: string, from: number, ends: RegExp): number | undefined {
  const most = Math.min(text.length, from + LONGEST_TARGET)
  for (let at = from; at < most; at++) if (ends.test(text.charAt(at))) return at
  return undefined
}

/** An address without brackets around it. */
export interface BareAddress {
  readonly text: string
  /** The same with a scheme. */
  readonly address: string
}

/**
 * The address that begins at a place.
 *
 * @param before the character before it
 */
export function bareAddressAt(
  text: string,
  at: number,
  before: string,
  isOver: boolean,
): BareAddress | 'wait' | undefined {
  const isRelative = text[at] === '/'
  if (/[A-Za-z\d]/.test(before) || (isRelative && /[:/_]/.test(before))) return undefined
  const end = runAt(text, at, ENDS_ADDRESS)
  if (end === undefined && !isOver && text.length < at + LONGEST_TARGET) return 'wait'
  const run = text.slice(at, end ?? at + LONGEST_TARGET).replace(/[.,;:!?*_~]+$/, '')
  // Without a dot in it, what two slashes stand before is a remark in a program.
  if (isRelative && !/^\/\/[\w-]+(?:\.[\w-]+)+/.test(run)) return undefined
  const schemes: Readonly<Record<string, string>> = { '/': 'https:', w: 'https://' }
  const scheme = schemes[text.charAt(at).toLowerCase()] ?? ''
  return { text: run, address: (scheme + run).replace(/^ftp:/i, 'https:') }
}
