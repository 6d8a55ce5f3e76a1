import { decodeEntities } from '@amodal/sdk/client'
import type { MarkedToken, Token } from 'marked'
import type { Look } from '../paint.ts'

/** A piece of text that looks the same. */
export interface Span {
  readonly text: string
  readonly looks: readonly Look[]
  /** Where it begins in the source, where each of its characters is one of the source. */
  readonly at: number | undefined
}

const LOOKS: Readonly<Partial<Record<MarkedToken['type'], Look>>> = {
  strong: 'bold',
  em: 'italic',
  del: 'strike',
  codespan: 'code',
}

/** The lexer has no extensions, so there are no other tokens. */
export const isKnown = (token: Token): token is MarkedToken => 'raw' in token

/**
 * The text of inline tokens, without the characters that only mark it.
 *
 * @param at where the tokens begin in the source; `undefined`: not known
 */
export function spansOf(
  tokens: readonly Token[],
  at: number | undefined,
  looks: readonly Look[] = [],
): readonly Span[] {
  let next = at
  return tokens.flatMap((token) => {
    const begin = next
    if (next !== undefined) next += token.raw.length
    return isKnown(token) ? spansOfToken(token, begin, looks) : []
  })
}

function spansOfToken(
  token: MarkedToken,
  at: number | undefined,
  looks: readonly Look[],
): readonly Span[] {
  const atom = (text: string, ...more: readonly Look[]): readonly Span[] => [
    { text, looks: [...looks, ...more], at: undefined },
  ]
  const look = LOOKS[token.type]
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return spansOf(token.tokens, undefined, look ? [...looks, look] : looks)
    case 'codespan':
      return atom(token.text, 'code')
    case 'br':
      return atom('\n')
    case 'link':
      return linkSpans(spansOf(token.tokens, undefined, [...looks, 'underline']), token.href, looks)
    case 'image':
      return linkSpans(atom(token.text, 'underline'), token.href, looks)
    case 'escape':
      return atom(token.text)
    case 'text':
      return token.tokens && token.tokens.length > 0
        ? spansOf(token.tokens, at, looks)
        : textSpans(token, at, looks)
    default:
      return atom(token.raw)
  }
}

function textSpans(
  { raw }: { readonly raw: string },
  at: number | undefined,
  looks: readonly Look[],
): readonly Span[] {
  const text = decodeEntities(raw)
  return [{ text, looks, at: text === raw ? at : undefined }]
}

/** A terminal shows no address behind a text, so it follows where it is not the text itself. */
function linkSpans(
  content: readonly Span[],
  href: string,
  looks: readonly Look[],
): readonly Span[] {
  const text = content.map((span) => span.text).join('')
  if (href === '' || href === text || href === `mailto:${text}`) return content
  return [...content, { text: ` (${href})`, looks: [...looks, 'dim'], at: undefined }]
}
