import { posix } from 'node:path'
import { type BundleFile, isObject, type Json } from '@amodal/sdk'
import { didYouMean, type Issues, type JsonFile, type Path } from '@amodal/sdk/files'
import { type ListItem, itemText, listItems } from './markdown-list.ts'
import { blocksIn, type Line, type Section, sectionsOf } from './markdown-sections.ts'
import { resemblesCheck } from './read-checks.ts'
import { readYaml } from './yaml-text.ts'

/**
 * Reads a Markdown file as the suite of one case that it is in YAML: `# Eval: Title` and a
 * description, `Context:` and a YAML block under `## Setup`, a turn under each `## Query`, a list
 * under `## Assertions`, and a YAML block under `## Tools`.
 *
 * `## Assertions` between two queries are about the turn before them, and any others about the
 * case. An item with the name of a check, such as `max_tokens: 2000`, is one; the others are for
 * the judge.
 *
 * @example readMarkdown({ path: 'evals/a.md', text }, issues)?.value // { cases: [{ … }], … }
 */
export function readMarkdown({ path, text }: BundleFile, issues: Issues): JsonFile | undefined {
  const { above, sections, open } = sectionsOf(text)
  const tell = teller(path, issues)
  if (open !== undefined) return tell('error', open, 'the code block is not closed', 'close it')
  const [head, second] = sections.filter(({ level }) => level === 1)
  if (second)
    return tell(
      'error',
      second.line,
      'a file has one case, and this is a second title',
      'move it to a file of its own, or write the suite in YAML',
    )
  const [first = { line: 1 }] = sections
  if (head && head !== first)
    tell('warning', head.line, 'the title stands below a section', 'put it on the first line')
  for (const one of above.filter((line) => line.text.trim() !== '').slice(0, 1))
    tell('warning', one.line, 'what stands above the title is not read', 'move it below the title')
  const reader = new MarkdownCase(path, issues)
  for (const section of sections.filter(({ level }) => level === 2)) reader.read(section)
  return reader.finish(head, posix.basename(path).replace(/\.md$/i, ''))
}

/** Tells of a problem; `undefined`, to be returned. */
type Tell = (severity: 'error' | 'warning', line: number, message: string, fix: string) => undefined

const teller =
  (file: string, issues: Issues): Tell =>
  (severity, line, message, fix) => {
    if (severity === 'error') issues.error('BAD_REPO', message, { file, line, fix })
    else issues.warn('BAD_REPO', message, { file, line, fix })
    return undefined
  }

const SECTIONS = ['Setup', 'Query', 'Assertions', 'Tools'] as const

interface Assertions {
  readonly assert: Json[]
  readonly rubric: string[]
}

interface Turn extends Assertions {
  readonly input: string
}

/** The lines from which the values have come; a YAML block knows the lines of its own. */
class Lines {
  readonly #places = new Map<string, (rest: Path) => number>()

  set(path: Path, line: number | JsonFile['lineOf']): void {
    this.#places.set(JSON.stringify(path), typeof line === 'number' ? () => line : line)
  }

  of(path: Path): number {
    for (let length = path.length; length >= 0; length--) {
      const place = this.#places.get(JSON.stringify(path.slice(0, length)))
      if (place) return place(path.slice(length))
    }
    return 1
  }
}

const CASE: Path = ['cases', 0]

/** The case as far as its sections have been read. */
class MarkdownCase {
  readonly #file: string
  readonly #issues: Issues
  readonly #tell: Tell
  readonly #lines = new Lines()
  readonly #turns: Turn[] = []
  readonly #ofCase: Assertions = { assert: [], rubric: [] }
  readonly #fields: Record<string, Json> = {}
  /** Assertions that are about the last turn if another one follows. */
  #pending: Section[] = []

  constructor(file: string, issues: Issues) {
    this.#file = file
    this.#issues = issues
    this.#tell = teller(file, issues)
  }

  read(section: Section): void {
    const written = section.text.replace(/\s*\d*\s*:?$/, '')
    const name = SECTIONS.find((one) => one.toLowerCase() === written.toLowerCase())
    switch (name) {
      case 'Setup':
        return this.#readSetup(section)
      case 'Query':
        return this.#readQuery(section)
      case 'Assertions':
        this.#pending.push(section)
        return undefined
      case 'Tools':
        return this.#readTools(section)
      case undefined: {
        const meant = didYouMean(written, SECTIONS)
        return this.#tell(
          'warning',
          section.line,
          `the section "${section.text}" is not read${meant === undefined ? '' : `; did you mean "${meant}"?`}`,
          meant === undefined ? 'remove it' : `rename it to "## ${meant}"`,
        )
      }
      default:
        return name satisfies never
    }
  }

  finish(head: Section | undefined, name: string): JsonFile | undefined {
    this.#assign(this.#ofCase, CASE)
    if (this.#turns.length === 0)
      return this.#tell('error', head?.line ?? 1, 'the case has no query', 'write "## Query"')
    const title = head?.text.replace(/^eval:\s*/i, '').trim() ?? ''
    const description = (head?.lines ?? []).map(({ text }) => text).join('\n')
    this.#lines.set([], head?.line ?? 1)
    const value: Json = {
      title: title === '' ? null : title,
      description: description.trim() === '' ? null : description.trim(),
      cases: [
        { ...this.#fields, name, turns: this.#turns.map(fieldsOf), ...fieldsOf(this.#ofCase) },
      ],
    }
    return { file: this.#file, value, lineOf: (path) => this.#lines.of(path) }
  }

  #readQuery(section: Section): void {
    const last = this.#turns.at(-1)
    this.#assign(last ?? this.#ofCase, last ? this.#turnPath(-1) : CASE)
    for (const { text, line } of section.lines) {
      const name = /^#{3,6}\s+(.*?)\s*$/.exec(text)?.[1]?.toLowerCase()
      const known = SECTIONS.find((one) => one.toLowerCase() === name)
      if (known)
        this.#tell('warning', line, `"${text.trim()}" belongs to the query`, `write "## ${known}"`)
    }
    const input = withoutQuotes(
      section.lines
        .map(({ text }) => text)
        .join('\n')
        .trim(),
    )
    this.#turns.push({ input, assert: [], rubric: [] })
    this.#lines.set(this.#turnPath(-1), section.line)
  }

  #turnPath(at: number): Path {
    return [...CASE, 'turns', this.#turns.length + at]
  }

  /** What the pending assertions are about is known now. */
  #assign(to: Assertions, path: Path): void {
    for (const section of this.#pending) {
      const { items, others } = listItems(section.lines)
      this.#warnOfUnread(others, 'write it as an item of the list')
      for (const item of items) this.#readItem(item, to, path)
    }
    this.#pending = []
  }

  #readItem(item: ListItem, to: Assertions, path: Path): void {
    const text = itemText(item)
    if (!isCheck(text)) {
      this.#lines.set([...path, 'rubric', to.rubric.length], item.line)
      to.rubric.push(text)
      return
    }
    const source = { file: this.#file, text: item.lines.join('\n'), line: item.line }
    const read = readYaml(source, this.#issues)
    if (!read) return
    this.#lines.set([...path, 'assert', to.assert.length], (inner) => read.lineOf(inner))
    to.assert.push(read.value)
  }

  #readSetup(section: Section): void {
    const { rest, setup } = this.#blockOf(section, 'setup')
    const { context, line, others } = contextIn(rest)
    this.#warnOfUnread(others, 'begin it with "Context:"')
    const fields = isObject(setup) ? setup : {}
    if (context !== undefined && 'context' in fields) {
      const message = 'the context is there twice'
      this.#tell('error', line, message, 'keep `Context:` or `context`')
    }
    if (context === undefined) this.#fields['setup'] = setup ?? null
    else {
      this.#fields['setup'] = { ...fields, context }
      this.#lines.set([...CASE, 'setup', 'context'], line)
    }
  }

  #readTools(section: Section): void {
    const { rest, setup } = this.#blockOf(section, 'tools')
    this.#warnOfUnread(rest, 'write it into a block that begins with ```yaml')
    if (setup !== undefined) this.#fields['tools'] = setup
  }

  /** The YAML block of a section: the fields, or `setup:` or `tools:` with the fields. */
  #blockOf(
    { text, line, lines }: Section,
    name: 'setup' | 'tools',
  ): { readonly rest: readonly Line[]; readonly setup?: Json } {
    const { blocks, rest } = blocksIn(lines)
    if (this.#fields[name] !== undefined)
      this.#tell('error', line, `the section "${text}" is there twice`, 'make them one')
    const [block, ...more] = blocks.filter(({ language }) => /^ya?ml\b/.test(language))
    const unread = [...more, ...blocks.filter(({ language }) => !/^ya?ml\b/.test(language))]
    for (const one of unread)
      this.#tell('warning', one.line - 1, 'this block is not read', 'write one block of ```yaml')
    const read = block && readYaml({ ...block, file: this.#file }, this.#issues)
    if (!read) return { rest }
    const { value } = read
    const inner = isObject(value) && Object.keys(value).length === 1 ? value[name] : undefined
    const isInner = isObject(inner) && !('result' in inner) && !('error' in inner)
    this.#lines.set([...CASE, name], (path) => read.lineOf(isInner ? [name, ...path] : path))
    return { rest, setup: isInner ? inner : value }
  }

  #warnOfUnread(lines: readonly Line[], fix: string): void {
    for (const { text, line } of lines)
      if (text.trim() !== '' && !text.trim().startsWith('<!--'))
        this.#tell('warning', line, 'this line is not read', fix)
  }
}

const fieldsOf = ({ assert, rubric, ...others }: Assertions | Turn): Record<string, Json> => ({
  ...others,
  ...(assert.length > 0 && { assert }),
  ...(rubric.length > 0 && { rubric }),
})

/** Whether an item is a mapping: a name in small letters that is one of a check, or like one. */
function isCheck(text: string): boolean {
  const [, name = ''] =
    /^\{?\s*["']?([a-z][A-Za-z]*(?:_[A-Za-z]+)*)["']?\s*:(?:\s|$)/.exec(text) ?? []
  return name !== '' && (name.includes('_') || resemblesCheck(name))
}

interface Context {
  readonly context?: string
  readonly line: number
  readonly others: readonly Line[]
}

/** The text behind `Context:`, up to an empty line. */
function contextIn(lines: readonly Line[]): Context {
  const start = lines.findIndex(({ text }) => CONTEXT.test(text))
  const first = lines[start]
  if (!first) return { line: 1, others: lines }
  const rest = lines.slice(start)
  const end = rest.findIndex(({ text }, at) => at > 0 && text.trim() === '')
  const own = end === -1 ? rest : rest.slice(0, end)
  const context = own.map(({ text }) => text.replace(CONTEXT, '').trim()).join(' ')
  const others = [...lines.slice(0, start), ...rest.slice(own.length)]
  return { line: first.line, others, ...(context.trim() !== '' && { context: context.trim() }) }
}

const CONTEXT = /^\s*(?:[-*+]\s+)?\*{0,2}context\*{0,2}:\*{0,2}\s*/i

const QUOTES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['“', '”'],
])

/** `"Hello"` without its quotes; a text such as `"A" or "B"` has none around it. */
function withoutQuotes(text: string): string {
  const [open = ''] = text
  const close = QUOTES.get(open)
  if (close === undefined || text.length < 2 || !text.endsWith(close)) return text
  const inner = text.slice(1, -1).replaceAll(`\\${close}`, '\0')
  const first = inner.search(open === close ? /"/ : /[“”]/)
  // A quote behind a letter closes: the first one was not around all of the text.
  const isAround =
    first === -1 || (open === close ? /\s/.test(inner.charAt(first - 1)) : inner[first] !== close)
  return isAround ? inner.replaceAll('\0', close).trim() : text
}
