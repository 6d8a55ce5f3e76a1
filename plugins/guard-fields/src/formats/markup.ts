import type { Json } from '@amodal/sdk'
import { isHeader } from './header.ts'
import { html } from './libraries.ts'
import { tableOf } from './tables.ts'
import { asJson, LEFT_OUT, type Place, type ParsedText } from './parsed-text.ts'

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: (Element | string)[]
}

const HTML: ReadonlySet<string> = new Set([
  'html',
  'head',
  'body',
  'div',
  'p',
  'span',
  'table',
  'tr',
  'td',
  'th',
  'thead',
  'tbody',
  'ul',
  'ol',
  'li',
  'dl',
  'dt',
  'dd',
  'a',
  'b',
  'i',
  'br',
  'h1',
  'h2',
  'h3',
  'h4',
  'form',
  'input',
  'section',
  'article',
  'main',
  'pre',
  'code',
  'strong',
  'em',
])
const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'head'])
const MOST_DEPTH = 200

/**
 * Elements of XML as fields; of HTML the tables that name their columns, and the lists of terms.
 */
export function readMarkup(text: string, place: Place): ParsedText | undefined {
  const bare = text.replace(/^\uFEFF/, '').trim()
  if (!bare.startsWith('<') || !bare.endsWith('>') || /<!(?:DOCTYPE[^>]*\[|ENTITY)/i.test(bare))
    return undefined
  const isHtml =
    /^<!doctype html/i.test(bare) ||
    HTML.has(/^<([\w-]+)/.exec(bare.replace(/^(?:<!--[^]*?-->\s*)+/, ''))?.[1]?.toLowerCase() ?? '')
  const root = treeOf(bare, !isHtml)
  if (!root) return undefined
  const value = isHtml ? htmlValue(root, place) : xmlValue(root, place)
  return value === undefined ? undefined : { value, render: asJson }
}

function treeOf(text: string, xml: boolean): Element | undefined {
  const root: Element = { name: '', attributes: {}, children: [] }
  const open: Element[] = [root]
  let tooDeep = false
  const parser = new (html().Parser)(
    {
      onopentag(name, attributes) {
        const element: Element = { name, attributes, children: [] }
        open.at(-1)?.children.push(element)
        open.push(element)
        if (open.length > MOST_DEPTH) {
          tooDeep = true
          parser.pause()
        }
      },
      ontext(said) {
        open.at(-1)?.children.push(said)
      },
      onclosetag() {
        if (open.length > 1) open.pop()
      },
    },
    { xmlMode: xml, recognizeCDATA: true, decodeEntities: true },
  )
  parser.write(text)
  if (tooDeep) return undefined
  parser.end()
  return root
}

const elementsOf = ({ children }: Element): readonly Element[] =>
  children.filter((child) => typeof child !== 'string')
const textOf = ({ children }: Element): string =>
  children
    .map((child) => {
      if (typeof child === 'string') return child
      return UNSEEN.has(child.name) ? '' : ` ${textOf(child)} `
    })
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim()
const localName = (name: string): string => name.replace(/^.*:/, '')

function xmlValue(root: Element, { whole }: Place): Json | undefined {
  const tops = elementsOf(root).filter(({ name }) => !/^[?!]/.test(name))
  const isOnlyText = tops.every(
    (top) => elementsOf(top).length === 0 && Object.keys(top.attributes).length === 0,
  )
  if (
    tops.length === 0 ||
    isOnlyText ||
    root.children.some((child) => typeof child === 'string' && child.trim() !== '')
  )
    return undefined
  return Object.fromEntries(tops.map((top) => [localName(top.name), elementValue(top, whole)]))
}

/** An element as a value: its text, or an object of its attributes and elements. */
function elementValue(element: Element, whole: boolean): Json {
  const inner = elementsOf(element)
  const text = element.children
    .filter((child) => typeof child === 'string')
    .join('')
    .trim()
  const attributes = Object.entries(element.attributes).filter(
    ([name]) => !/^xmlns(?::|$)/.test(name),
  )
  if (inner.length === 0 && attributes.length === 0) return text
  const fields = new Map<string, Json[]>()
  const put = (name: string, value: Json): void => {
    fields.set(name, [...(fields.get(name) ?? []), value])
  }
  for (const [name, value] of attributes) put(localName(name), value)
  for (const child of inner) put(localName(child.name), elementValue(child, whole))
  // Text between elements is a sentence with words that are marked.
  if (text !== '' && inner.length === 0) put('text', text)
  else if (text !== '') put('text', whole ? LEFT_OUT : textOf(element))
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? null) : values]),
  )
}

function htmlValue(root: Element, place: Place): Json | undefined {
  const found: { tables: Json[]; lists: Json[]; other: boolean } = {
    tables: [],
    lists: [],
    other: false,
  }
  if (!collect(root, found, place)) return undefined
  const { tables, lists, other } = found
  if (tables.length + lists.length === 0) return undefined
  return {
    ...(tables.length > 0 && { tables }),
    ...(lists.length > 0 && { lists }),
    ...(other && { text: LEFT_OUT }),
  }
}

/** `false`: a table cannot be told. */
function collect(
  element: Element,
  found: { tables: Json[]; lists: Json[]; other: boolean },
  place: Place,
): boolean {
  for (const child of element.children) {
    if (typeof child === 'string') {
      if (child.trim() !== '') found.other = true
    } else if (child.name === 'table') {
      const table = tableValue(child, place)
      if (table === undefined) return false
      found.tables.push(table)
    } else if (child.name === 'dl') found.lists.push(termsOf(child))
    else if (!UNSEEN.has(child.name) && !collect(child, found, place)) return false
  }
  return true
}

function descendants(element: Element, names: readonly string[]): readonly Element[] {
  return elementsOf(element).flatMap((child) => [
    ...(names.includes(child.name) ? [child] : []),
    ...descendants(child, names),
  ])
}

function tableValue(table: Element, { isRestricted }: Place): Json | undefined {
  const rows = descendants(table, ['tr']).map((row) =>
    elementsOf(row).filter(({ name }) => name === 'td' || name === 'th'),
  )
  const cells = rows.flat()
  if (
    descendants(table, ['table']).length > 0 ||
    cells.some(({ attributes }) => Number(attributes['rowspan'] ?? 1) > 1)
  )
    return undefined
  const texts = rows.map((row) => row.flatMap(cellTexts))
  const [head = [], ...body] = rows
  const [names = []] = texts
  const isHead = head.length > 1 && head.every(({ name }) => name === 'th')
  // Terms in the first cell of each row, what they mean beside them.
  if (
    !isHead &&
    rows.length > 0 &&
    rows.every(([first, ...others]) => first?.name === 'th' && others.length > 0)
  ) {
    return texts.map(([term = '', ...values]) => ({
      [term]: values.length === 1 ? (values[0] ?? '') : values,
    }))
  }
  if (!isHead && !isHeader(names, isRestricted)) return undefined
  return body.length === 0 ? undefined : tableOf(names, texts.slice(1))
}

const MOST_SPANNED = 100

/** A cell that spans columns, and the empty ones behind it. */
function cellTexts(cell: Element): readonly string[] {
  const spanned = Number(cell.attributes['colspan'] ?? 1)
  return [
    textOf(cell),
    ...Array.from({ length: Math.min(MOST_SPANNED, Math.max(0, spanned - 1)) }, () => ''),
  ]
}

/** Each term with what follows it. */
function termsOf(list: Element): Json {
  const pairs: [string, string[]][] = []
  for (const { name, children, attributes } of descendants(list, ['dt', 'dd'])) {
    const text = textOf({ name, children, attributes })
    if (name === 'dt') pairs.push([text, []])
    else pairs.at(-1)?.[1].push(text)
  }
  return pairs.map(([term, meanings]) => ({
    [term]: meanings.length === 1 ? (meanings[0] ?? '') : meanings,
  }))
}
