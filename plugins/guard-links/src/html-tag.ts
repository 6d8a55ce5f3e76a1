/** One tag of a text, read as the HTML standard's tokenizer reads it. */
export interface HtmlTag {
  readonly name: string
  readonly attributes: readonly HtmlAttribute[]
  /** Whether its `>` was found. */
  readonly closed: boolean
  /** The place behind what was read of it. */
  readonly end: number
  /** Whether it is a tag or an address for CommonMark, too. What is not is read no further. */
  readonly wellFormed: boolean
}
export interface HtmlAttribute {
  readonly name: string
  readonly value: string
}

const NAME = /[a-z][^\s/>]*/iy
const ATTRIBUTE = /([\s/]*)(=?[^\s/>=]+|=)(?:(\s*=\s*)(?:(["'])|([^\s>]*)))?/y
const END = /[\s/]*>/y
const REGULAR_NAME = /^[a-z][\da-z-]*$/i
/**
 * `<https://host/>` and `<name@host>`: the name of a tag for the standard, an address for
 * CommonMark.
 */
const ADDRESS = /^[a-z][a-z\d+.-]{1,31}:|^[\w.+-]+@[\w.-]+$/
const REGULAR_ATTRIBUTE = /^[a-z_:][\w.:-]*$/i

/**
 * @param at where its name begins, behind the `<`
 * @param upto where reading ends if the tag does not
 */
export function readTag(text: string, at: number, upto: number): HtmlTag {
  const part = text.slice(at, upto)
  NAME.lastIndex = 0
  const own = NAME.exec(part)?.[0] ?? ''
  const attributes: HtmlAttribute[] = []
  const name = own.toLowerCase()
  const isAddress = ADDRESS.test(name)
  const unclosed = { closed: false, end: upto }
  let wellFormed = isAddress || REGULAR_NAME.test(own)
  for (let place = own.length; wellFormed;) {
    END.lastIndex = place
    if (END.test(part))
      return { name, attributes, closed: true, end: at + END.lastIndex, wellFormed }
    ATTRIBUTE.lastIndex = place
    const [, before = '', called = '', , quote, bare = ''] = ATTRIBUTE.exec(part) ?? []
    if (called === '') return { ...unclosed, name, attributes, wellFormed }
    place = ATTRIBUTE.lastIndex
    let value = bare
    if (quote !== undefined) {
      const end = part.indexOf(quote, place)
      if (end === -1) return { ...unclosed, name, attributes, wellFormed }
      value = part.slice(place, end)
      place = end + 1
    }
    wellFormed =
      isAddress || (/^\s+$/.test(before) && REGULAR_ATTRIBUTE.test(called) && !/["'=<`]/.test(bare))
    attributes.push({ name: called.toLowerCase(), value })
  }
  return { ...unclosed, name, attributes, wellFormed }
}
