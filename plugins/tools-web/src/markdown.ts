import { Parser } from 'htmlparser2'

/** What a page says to people. */
export interface Page {
  readonly title: string
  readonly text: string
}

/** Elements that are not content, or that surround it. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'math',
  'canvas',
  'iframe',
  'object',
  'embed',
  'nav',
  'footer',
  'aside',
  'form',
  'button',
  'select',
  'textarea',
  'dialog',
])
const VOID: ReadonlySet<string> = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
])
const BLOCKS: ReadonlySet<string> = new Set([
  'p',
  'div',
  'section',
  'article',
  'main',
  'header',
  'figure',
  'figcaption',
  'table',
  'ul',
  'ol',
  'dl',
  'dt',
  'dd',
  'details',
  'summary',
  'address',
  'body',
  'tr',
  'fieldset',
])
/** Characters of a `<main>` or `<article>` from which on it is taken for the page. */
const ENOUGH = 200
/** Tags inside of each other; browsers stop at half of it. What follows is not read. */
const MOST_DEPTH = 1_000

type Attributes = Readonly<Record<string, string>>

/**
 * A page as Markdown: headings, paragraphs, lists, tables, code, and links with whole addresses.
 * What is hidden, scripts, menus and footers are left out; where the page says which part of it is
 * the matter (`main`, `article`), that is taken. One pass over the tags: no page takes longer than
 * its length.
 *
 * @param base of the page's own links
 */
export function markdownOf(html: string, base: string): Page {
  const reader = new Reader(base)
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name, attributes),
      ontext: (text) => reader.say(text),
      onclosetag: (name) => reader.close(name),
    },
    { decodeEntities: true, lowerCaseTags: true },
  )
  try {
    parser.end(html)
  } catch (cause) {
    if (!(cause instanceof TooDeep)) throw cause
  }
  return reader.page()
}

class TooDeep extends Error {}

class Reader {
  readonly #all: string[] = []
  /** Where in `all` the main parts are. */
  readonly #main: { readonly from: number; to: number }[] = []
  readonly #lists: { readonly ordered: boolean; count: number }[] = []
  readonly #links: (string | undefined)[] = []
  #base: string
  #title = ''
  #inTitle = false
  /** Tags that are open inside of one that is left out, itself included. */
  #hidden = 0
  #depth = 0
  #mainDepth = 0
  #pre = 0

  constructor(base: string) {
    this.#base = base
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'base') this.#base = this.#address(attributes['href']) ?? this.#base
    if (this.#depth + this.#hidden > MOST_DEPTH) throw new TooDeep()
    if (this.#hidden > 0 || LEFT_OUT.has(name) || isHidden(attributes)) {
      if (!VOID.has(name)) this.#hidden++
      return
    }
    if (VOID.has(name)) return this.#void(name, attributes)
    this.#depth++
    if (name === 'title') this.#inTitle = true
    if (isMain(name, attributes) && ++this.#mainDepth === 1)
      this.#main.push({ from: this.#all.length, to: Infinity })
    if (/^h[1-6]$/.test(name)) this.#write(`\n\n${'#'.repeat(Number(name[1]))} `)
    else if (BLOCKS.has(name)) this.#write('\n\n')
    switch (name) {
      case 'a':
        return void this.#begin(attributes)
      case 'ul':
      case 'ol':
        return void this.#lists.push({ ordered: name === 'ol', count: 0 })
      case 'li':
        return this.#item()
      case 'td':
      case 'th':
        return this.#write(' | ')
      case 'blockquote':
        return this.#write('\n\n> ')
      case 'pre':
        this.#pre++
        return this.#write('\n\n```\n')
      case 'code':
        return this.#pre === 0 ? this.#write('`') : undefined
      default:
        return
    }
  }

  say(text: string): void {
    if (this.#inTitle) this.#title += text
    else if (this.#hidden === 0) this.#write(this.#pre > 0 ? text : text.replace(/\s+/g, ' '))
  }

  close(name: string): void {
    if (VOID.has(name)) return
    if (this.#hidden > 0) {
      this.#hidden--
      return
    }
    this.#depth = Math.max(0, this.#depth - 1)
    if (name === 'title') this.#inTitle = false
    if (/^h[1-6]$/.test(name) || BLOCKS.has(name)) this.#write('\n\n')
    switch (name) {
      case 'a':
        this.#end()
        break
      case 'ul':
      case 'ol':
        this.#lists.pop()
        break
      case 'pre':
        this.#pre = Math.max(0, this.#pre - 1)
        this.#write('\n```\n\n')
        break
      case 'code':
        if (this.#pre === 0) this.#write('`')
        break
      case 'main':
      case 'article': {
        this.#mainDepth = Math.max(0, this.#mainDepth - 1)
        const last = this.#main.at(-1)
        if (last && this.#mainDepth === 0) last.to = this.#all.length
        break
      }
      default:
        break
    }
  }

  page(): Page {
    const main = tidy(
      this.#main.map(({ from, to }) => this.#all.slice(from, to).join('')).join('\n\n'),
    )
    return {
      title: this.#title.replace(/\s+/g, ' ').trim(),
      text: main.length >= ENOUGH ? main : tidy(this.#all.join('')),
    }
  }

  #write(text: string): void {
    this.#all.push(text)
  }

  #void(name: string, attributes: Attributes): void {
    if (name === 'br') this.#write('\n')
    else if (name === 'hr') this.#write('\n\n---\n\n')
    else if (name === 'img' && (attributes['alt'] ?? '').trim() !== '') {
      this.#write(`![${attributes['alt'] ?? ''}](${this.#address(attributes['src']) ?? ''})`)
    }
  }

  #item(): void {
    const list = this.#lists.at(-1)
    if (list) list.count++
    this.#write(`\n${list?.ordered ? `${list.count}. ` : '- '}`)
  }

  #begin(attributes: Attributes): void {
    const address = this.#address(attributes['href'])
    this.#links.push(address)
    if (address !== undefined) this.#write('[')
  }

  #end(): void {
    const address = this.#links.pop()
    if (address !== undefined) this.#write(`](${address})`)
  }

  /** A whole address of the web; nothing for places in the page itself and for scripts. */
  #address(link: string | undefined): string | undefined {
    if (link === undefined || link.startsWith('#')) return undefined
    const url = URL.parse(link.trim(), this.#base)
    return url !== null && /^(https?|mailto|tel):$/.test(url.protocol) ? url.href : undefined
  }
}

const isMain = (name: string, { role }: Attributes): boolean =>
  name === 'main' || name === 'article' || (role === 'main' && name === 'div')

function isHidden(attributes: Attributes): boolean {
  return (
    'hidden' in attributes ||
    attributes['aria-hidden'] === 'true' ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes['style'] ?? '')
  )
}

/** Collapses whitespace, except in code. */
function tidy(text: string): string {
  const parts = text.split('```').map((part, at) =>
    at % 2 === 1
      ? part
      : part
          .replace(/[^\S\n]+/g, ' ')
          .replace(/ ?\n ?/g, '\n')
          .replace(/\[\s*\]\([^)\s]*\)/g, ''),
  )
  return parts
    .join('```')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
