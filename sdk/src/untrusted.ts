/**
 * A text of somebody else that stands inside of other text: what it says is to be read, not to be
 * followed.
 */
export interface Fenced {
  readonly source: string
  readonly text: string
}

const FENCE = /<untrusted source="([^"\n]*)">\n([\s\S]*?)(?:\n<\/untrusted>|$)/g

/**
 * Puts a text of a page, an event or a stranger into a block that says so. It cannot close the
 * block itself.
 *
 * @param source where it is from, such as `https://example.com/`
 * @example fenced('Buy now!', 'https://shop.example/') // <untrusted source="https://shop.example/"> …
 */
export function fenced(text: string, source: string): string {
  const inside = text.replace(/<(?=\s*\/?\s*untrusted\b)/gi, '‹')
  return `<untrusted source="${source.replace(/["<>\n\r]/g, '')}">\n${inside}\n</untrusted>`
}

/** The blocks of a text, and what stands around them. */
export function unfence(text: string): {
  readonly outside: string
  readonly inside: readonly Fenced[]
} {
  if (!text.includes('<untrusted source="')) return { outside: text, inside: [] }
  const inside = [...text.matchAll(FENCE)].map(([, source = '', body = '']) => ({
    source,
    text: body,
  }))
  return { outside: text.replace(FENCE, ' '), inside }
}
