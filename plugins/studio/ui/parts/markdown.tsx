import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { Fragment, memo, useMemo, type ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

/**
 * Markdown as elements, never as HTML: what is HTML in it is shown as text, links lead to the web
 * or to mail, and pictures are links, so that a text of the model cannot make the page ask anybody
 * anything.
 */
export const Markdown = memo(({ text }: { readonly text: string }): ReactNode => {
  const tokens = useMemo(() => lexer(text, { gfm: true }), [text])
  return (
    <div className="markdown">
      {tokens.map((token, at) => (
        <Block key={at} raw={token.raw} token={token} />
      ))}
    </div>
  )
})

/** While a text grows, only its last block changes. */
const Block = memo(
  ({ token }: { readonly token: Token; readonly raw: string }): ReactNode => block(token),
  (before, now) => before.raw === now.raw,
)

/** The lexer has no extensions, so there are no others. */
const isKnown = (token: Token): token is MarkedToken => 'raw' in token

function block(token: Token): ReactNode {
  if (!isKnown(token)) return null
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading': {
      const Heading = HEADINGS[Math.min(token.depth, HEADINGS.length) - 1] ?? 'h6'
      return <Heading>{inline(token.tokens)}</Heading>
    }
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>
    case 'hr':
      return <hr />
    case 'code':
      return <Code text={token.text} language={token.lang} />
    case 'blockquote':
      return <blockquote>{blocks(token.tokens)}</blockquote>
    case 'list':
      return list(token)
    case 'table':
      return table(token)
    case 'html':
      return <p>{token.text}</p>
    case 'text':
      return token.tokens ? inline(token.tokens) : unescaped(token.text)
    default:
      return token.raw
  }
}

/** A page has one first heading, and a text of the model is not it. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const

const blocks = (tokens: readonly Token[] = []): ReactNode =>
  tokens.map((token, at) => <Block key={at} raw={token.raw} token={token} />)

function list({ ordered, start, items }: Tokens.List): ReactNode {
  const entries = items.map((item, at) => (
    <li key={at} className={item.task ? 'task' : undefined}>
      {item.task && (
        <input
          type="checkbox"
          checked={item.checked === true}
          readOnly
          tabIndex={-1}
          aria-label={item.checked === true ? 'done' : 'to do'}
        />
      )}
      {blocks(item.tokens.filter(({ type }) => type !== 'checkbox'))}
    </li>
  ))
  return ordered ? (
    <ol start={typeof start === 'number' ? start : 1}>{entries}</ol>
  ) : (
    <ul>{entries}</ul>
  )
}

function table({ header, rows }: Tokens.Table): ReactNode {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th key={at} scope="col" className={alignOf(cell)}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} className={alignOf(cell)}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const alignOf = ({ align }: Tokens.TableCell): string | undefined =>
  align === null ? undefined : `align-${align}`

function inline(tokens: readonly Token[] = []): ReactNode {
  return tokens.map((token, at) => <Fragment key={at}>{span(token)}</Fragment>)
}

function span(token: Token): ReactNode {
  if (!isKnown(token)) return null
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>
    case 'em':
      return <em>{inline(token.tokens)}</em>
    case 'del':
      return <del>{inline(token.tokens)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return link(token.href, inline(token.tokens))
    case 'image':
      return link(token.href, token.text === '' ? token.href : token.text)
    case 'escape':
      return token.text
    case 'text':
      return token.tokens ? inline(token.tokens) : unescaped(token.text)
    default:
      return token.raw
  }
}

function link(href: string, said: ReactNode): ReactNode {
  const url = URL.parse(href, location.origin)
  const isSafe =
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:' || url.protocol === 'mailto:')
  return isSafe ? (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {said}
    </a>
  ) : (
    <>{said}</>
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
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (whole, name: string) => ENTITIES[name] ?? whole)

const Code = ({
  text,
  language,
}: {
  readonly text: string
  readonly language: string | undefined
}): ReactNode => (
  <figure className="code">
    <figcaption>
      <span>{language?.split(/\s/)[0] || 'text'}</span>
      <CopyButton text={text} />
    </figcaption>
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  </figure>
)
