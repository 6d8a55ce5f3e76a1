/**
 * A text from an untrusted source inside of another text: it is data, and not an instruction.
 */
export interface UntrustedBlock {
  readonly source: string
  readonly text: string
}

const UNTRUSTED_BLOCK = /<untrusted source="([^"\n]*)">\n([\s\S]*?)(?:\n<\/untrusted>|$)/g

/**
 * Wraps a text from an untrusted source, such as a page or an event, in a block that names the
 * source. The text cannot close the block.
 *
 * @param source where it is from, such as `https://example.com/`
 * @example wrapUntrusted('Buy now!', 'https://shop.example/') // <untrusted source="https://shop.example/"> …
 */
export function wrapUntrusted(text: string, source: string): string {
  const inside = text.replace(/<(?=\s*\/?\s*untrusted\b)/gi, '‹')
  return `<untrusted source="${source.replace(/["<>\n\r]/g, '')}">\n${inside}\n</untrusted>`
}

/** Splits a text into its untrusted blocks and the text around them. */
export function splitUntrusted(text: string): {
  readonly outside: string
  readonly inside: readonly UntrustedBlock[]
} {
  if (!text.includes('<untrusted source="')) return { outside: text, inside: [] }
  const inside = [...text.matchAll(UNTRUSTED_BLOCK)].map(([, source = '', body = '']) => ({
    source,
    text: body,
  }))
  return { outside: text.replace(UNTRUSTED_BLOCK, ' '), inside }
}
