import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { Fragment, memo, useMemo, type ReactNode } from 'react'
import { safeLink } from '@amodal/sdk/client'

export interface MarkdownProps {
  readonly text: string
  /** Renders a block of code. Default: `<pre>`. */
  readonly code?: (text: string, language: string | undefined) => ReactNode
}

/**
 * Markdown as elements, never as HTML: HTML in it is shown as text, links lead to the web or to
 * mail, and pictures are links, so that a text of the model cannot make the page request anything.
 *
 * @example
 * <Markdown text="**Done**: see [the report](https://example.com)" />
 */
export const Markdown = /* @__PURE__ */ memo(({ text, code }: MarkdownProps): ReactNode => {
  const tokens = useMemo(() => lexer(text, { gfm: true }), [text])
  return (
    <div className="pcw-markdown">
      {tokens.map((token, at) => (
        <Block key={at} raw={token.raw} token={token} code={code} />
      ))}
    </div>
  )
})

interface BlockProps {
  readonly token: Token
  readonly raw: string
  readonly code: MarkdownProps['code']
}

/** While a text grows, only its last block changes. */
const Block = /* @__PURE__ */ memo(
  ({ token, code }: BlockProps): ReactNode => block(token, code),
  (before, now) => before.raw === now.raw && before.code === now.code,
)

/** The lexer has no extensions, so there are no others. */
const isKnown = (token: Token): token is MarkedToken => 'raw' in token

function block(token: Token, code: MarkdownProps['code']): ReactNode {
  if (!isKnown(token)) return null
  switch (token.type) {
    case 'code':
      return code ? code(token.text, token.lang) : codeBlock(token)
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, code)}</blockquote>
    case 'list':
      return list(token, code)
    case 'table':
      return table(token)
    default:
      return textBlock(token)
  }
}

/** A block that has no other blocks. */
function textBlock(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading': {
      const Heading = HEADINGS[Math.min(token.depth, HEADINGS.length) - 1] ?? 'h6'
      return <Heading>{spans(token.tokens)}</Heading>
    }
    case 'paragraph':
      return <p>{spans(token.tokens)}</p>
    case 'hr':
      return <hr />
    case 'html':
      return <p>{token.text}</p>
    case 'text':
      return token.tokens ? spans(token.tokens) : unescaped(token.text)
    default:
      return token.raw
  }
}

/** A page has one first heading, and a text of the model is not it. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const

const blocks = (tokens: readonly Token[] = [], code: MarkdownProps['code']): ReactNode =>
  tokens.map((token, at) => <Block key={at} raw={token.raw} token={token} code={code} />)

const codeBlock = ({ text }: Tokens.Code): ReactNode => (
  <pre tabIndex={0}>
    <code>{text}</code>
  </pre>
)

function list({ ordered, start, items }: Tokens.List, code: MarkdownProps['code']): ReactNode {
  const entries = items.map((item, at) => (
    <li key={at} className={item.task ? 'pcw-task' : undefined}>
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
        code,
      )}
    </li>
  ))
  return ordered ? (
    <ol start={typeof start === 'number' ? start : 1}>{entries}</ol>
  ) : (
    <ul>{entries}</ul>
  )
}

const table = ({ header, rows }: Tokens.Table): ReactNode => (
  <div className="pcw-scroll" tabIndex={0} role="region" aria-label="Table">
    <table>
      <thead>
        <tr>
          {header.map((cell, at) => (
            <th key={at} scope="col" className={alignOf(cell)}>
              {spans(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column} className={alignOf(cell)}>
                {spans(cell.tokens)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const alignOf = ({ align }: Tokens.TableCell): string | undefined =>
  align === null ? undefined : `pcw-align-${align}`

function spans(tokens: readonly Token[] = []): ReactNode {
  return tokens.map((token, at) => <Fragment key={at}>{span(token)}</Fragment>)
}

/** Elements that change the looks of a text. */
const MARKS: Readonly<Partial<Record<MarkedToken['type'], 'strong' | 'em' | 'del'>>> = {
  strong: 'strong',
  em: 'em',
  del: 'del',
}

function span(token: Token): ReactNode {
  if (!isKnown(token)) return null
  const Mark = MARKS[token.type]
  if (Mark && 'tokens' in token) return <Mark>{spans(token.tokens)}</Mark>
  switch (token.type) {
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return link(token.href, spans(token.tokens))
    case 'image':
      return link(token.href, token.text || token.href)
    case 'escape':
      return token.text
    case 'text':
      return token.tokens ? spans(token.tokens) : unescaped(token.text)
    default:
      return token.raw
  }
}

function link(href: string, content: ReactNode): ReactNode {
  const address = safeLink(href)
  return address === undefined ? (
    <>{content}</>
  ) : (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {content}
    </a>
  )
}

/** Entities that a text may have in Markdown; whatever else stays as it is. */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: '\u00a0',
}
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (entity, name: string) => ENTITIES[name] ?? entity)
