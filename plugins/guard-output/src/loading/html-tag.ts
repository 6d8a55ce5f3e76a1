/** One tag of a text, read as the HTML standard's tokenizer reads it, and whether CommonMark would take it for one. */
export interface HtmlTag {
  readonly name: string
  readonly attributes: readonly HtmlAttribute[]
  /** Whether its `>` was found. */
  readonly closed: boolean
  /** Whether it is a tag for CommonMark, too. */
  readonly wellFormed: boolean
}
export interface HtmlAttribute { readonly name: string; readonly value: string }

const NAME = /[a-z][^\s/>]*/iy
const ATTRIBUTE = /([\s/]*)(=?[^\s/>=]+|=)(?:(\s*=\s*)(?:(["'])|([^\s>]*)))?/y
const END = /[\s/]*>/y
const REGULAR_NAME = /^[a-z][\da-z-]*$/i
const REGULAR_ATTRIBUTE = /^[a-z_:][\w.:-]*$/i

/**
 * @param at where its name begins, behind the `<`
 * @param upto where reading ends if the tag does not
 * @param goesOn whether a tag of this name is read on where CommonMark would take it for none
 */
export function readTag(text: string, at: number, upto: number, goesOn: (name: string) => boolean): HtmlTag {
  const part = text.slice(at, upto)
  NAME.lastIndex = 0
  const own = NAME.exec(part)?.[0] ?? ''
  const attributes: HtmlAttribute[] = []
  const name = own.toLowerCase()
  let wellFormed = REGULAR_NAME.test(own)
  for (let place = own.length; wellFormed || goesOn(name);) {
    END.lastIndex = place
    if (END.test(part)) return { name, attributes, closed: true, wellFormed }
    ATTRIBUTE.lastIndex = place
    const [, before = '', called = '', , quote, bare = ''] = ATTRIBUTE.exec(part) ?? []
    if (called === '') return { name, attributes, closed: false, wellFormed }
    place = ATTRIBUTE.lastIndex
    let value = bare
    if (quote !== undefined) {
      const end = part.indexOf(quote, place)
      if (end === -1) return { name, attributes, closed: false, wellFormed }
      value = part.slice(place, end)
      place = end + 1
    }
    wellFormed &&= /^\s+$/.test(before) && REGULAR_ATTRIBUTE.test(called) && !/["'=<`]/.test(bare)
    attributes.push({ name: called.toLowerCase(), value })
  }
  return { name, attributes, closed: false, wellFormed }
}
