import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { Fragment, memo, useMemo, type ReactNode } from 'react'
import { decodeEntities, safeLink } from '@amodal/sdk/client'

/** How a text is rendered. */
interface Rendering {
  /** Renders a block of code. Default: `<pre>`. */
  readonly code?: ((text: string, language: string | undefined) => ReactNode) | undefined
  /**
   * The address of a link that is relative, or has an unknown scheme; `undefined`: it is shown as
   * text. Without this function all of them are: a text of the model knows nothing of the page
   * around it. Only addresses of the web and of mail become links.
   */
  readonly resolveLink?: ((href: string) => string | undefined) | undefined
  /** Before the names of all classes; default `pcw-`. */
  readonly classPrefix?: string | undefined
}

export interface MarkdownProps extends Rendering {
  readonly text: string
}

/**
 * Markdown as elements, never as HTML: HTML in it is shown as text, links lead to the web or to
 * mail, and pictures are links, so that a text of the model cannot make the page request anything.
 *
 * @example
 * <Markdown text="**Done**: see [the report](https://example.com)" />
 */
export const Markdown = /* @__PURE__ */ memo(
  ({ text, code, resolveLink, classPrefix = 'pcw-' }: MarkdownProps): ReactNode => {
    const tokens = useMemo(() => lexer(text, { gfm: true }), [text])
    const rendering = useMemo(
      () => ({ code, resolveLink, classPrefix }),
      [code, resolveLink, classPrefix],
    )
    return (
      <div className={`${classPrefix}markdown`}>
        {tokens.map((token, at) => (
          <Block key={at} raw={token.raw} token={token} rendering={rendering} />
        ))}
      </div>
    )
  },
)

interface BlockProps {
  readonly token: Token
  readonly raw: string
  readonly rendering: Rendering
}

/** While a text grows, only its last block changes. */
const Block = /* @__PURE__ */ memo(
  ({ token, rendering }: BlockProps): ReactNode => block(token, rendering),
  (before, now) => before.raw === now.raw && before.rendering === now.rendering,
)

/** The lexer has no extensions, so there are no others. */
const isKnown = (token: Token): token is MarkedToken => 'raw' in token

function block(token: Token, rendering: Rendering): ReactNode {
  if (!isKnown(token)) return null
  switch (token.type) {
    case 'code':
      return rendering.code ? rendering.code(token.text, token.lang) : codeBlock(token)
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, rendering)}</blockquote>
    case 'list':
      return list(token, rendering)
    case 'table':
      return table(token, rendering)
    default:
      return textBlock(token, rendering)
  }
}

/** A block that has no other blocks. */
function textBlock(token: MarkedToken, rendering: Rendering): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading': {
      const Heading = HEADINGS[Math.min(token.depth, HEADINGS.length) - 1] ?? 'h6'
      return <Heading>{spans(token.tokens, rendering)}</Heading>
    }
    case 'paragraph':
      return <p>{spans(token.tokens, rendering)}</p>
    case 'hr':
      return <hr />
    case 'html':
      return <p>{token.text}</p>
    case 'text':
      return token.tokens ? spans(token.tokens, rendering) : decodeEntities(token.text)
    default:
      return token.raw
  }
}

/** A page has one first heading, and a text of the model is not it. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const

const blocks = (tokens: readonly Token[] = [], rendering: Rendering): ReactNode =>
  tokens.map((token, at) => <Block key={at} raw={token.raw} token={token} rendering={rendering} />)

const codeBlock = ({ text }: Tokens.Code): ReactNode => (
  <pre tabIndex={0}>
    <code>{text}</code>
  </pre>
)

function list({ ordered, start, items }: Tokens.List, rendering: Rendering): ReactNode {
  const entries = items.map((item, at) => (
    <li key={at} className={item.task ? `${rendering.classPrefix}task` : undefined}>
      {item.task && (
        <input
          type="checkbox"
          checked={item.checked === true}
          readOnly
          tabIndex={-1}
          aria-label={item.checked === true ? 'done' : 'to do'}
        />
      )}
      {blocks(
        item.tokens.filter(({ type }) => type !== 'checkbox'),
        rendering,
      )}
    </li>
  ))
  return ordered ? (
    <ol start={typeof start === 'number' ? start : 1}>{entries}</ol>
  ) : (
    <ul>{entries}</ul>
  )
}

const table = ({ header, rows }: Tokens.Table, rendering: Rendering): ReactNode => (
  <div className={`${rendering.classPrefix}scroll`} tabIndex={0} role="region" aria-label="Table">
    <table>
      <thead>
        <tr>
          {header.map((cell, at) => (
            <th key={at} scope="col" className={alignOf(cell, rendering)}>
              {spans(cell.tokens, rendering)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column} className={alignOf(cell, rendering)}>
                {spans(cell.tokens, rendering)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const alignOf = ({ align }: Tokens.TableCell, { classPrefix }: Rendering): string | undefined =>
  align === null ? undefined : `${classPrefix}align-${align}`

function spans(tokens: readonly Token[] = [], rendering: Rendering): ReactNode {
  return tokens.map((token, at) => <Fragment key={at}>{span(token, rendering)}</Fragment>)
}

/** Elements that change the looks of a text. */
const MARKS: Readonly<Partial<Record<MarkedToken['type'], 'strong' | 'em' | 'del'>>> = {
  strong: 'strong',
  em: 'em',
  del: 'del',
}

function span(token: Token, rendering: Rendering): ReactNode {
  if (!isKnown(token)) return null
  const Mark = MARKS[token.type]
  if (Mark && 'tokens' in token) return <Mark>{spans(token.tokens, rendering)}</Mark>
  switch (token.type) {
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return link(token.href, spans(token.tokens, rendering), rendering)
    case 'image':
      return link(token.href, token.text || token.href, rendering)
    case 'escape':
      return token.text
    case 'text':
      return token.tokens ? spans(token.tokens, rendering) : decodeEntities(token.text)
    default:
      return token.raw
  }
}

function link(href: string, content: ReactNode, { resolveLink }: Rendering): ReactNode {
  const address = safeLink(href) ?? safeLink(resolveLink?.(href) ?? '')
  return address === undefined ? (
    <>{content}</>
  ) : (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {content}
    </a>
  )
}
