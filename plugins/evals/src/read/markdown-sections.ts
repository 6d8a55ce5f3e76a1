/** One line of a file, and its number from 1. */
export interface Line {
  readonly text: string
  readonly line: number
}

/** A heading, and the lines up to the next one. */
export interface Section extends Line {
  readonly level: 1 | 2
  readonly lines: readonly Line[]
}

/** A Markdown file in its parts. */
export interface Sections {
  /** What stands above the first heading. */
  readonly above: readonly Line[]
  readonly sections: readonly Section[]
  /** Line of a code block that is not closed. */
  readonly open?: number
}

/** The beginning of a code block, and whether a line ends it. */
export interface Fence {
  readonly indent: number
  /** What stands behind the marks, such as `yaml`. */
  readonly language: string
  readonly closes: (text: string) => boolean
}

/** The code block that begins with a line. */
export function fenceOf(text: string): Fence | undefined {
  const [, indent = '', marks = '', language = ''] = /^(\s*)(`{3,}|~{3,})([^`]*)$/.exec(text) ?? []
  if (marks === '') return undefined
  return {
    indent: indent.length,
    language: language.trim().toLowerCase(),
    closes: (line) => {
      const end = line.trim()
      return end.startsWith(marks) && end === marks.charAt(0).repeat(end.length)
    },
  }
}

const HEADING = /^ {0,3}(#{1,2})(?:[ \t]+(.*))?$/

/** A heading of the first or the second level. */
function headingAt(text: string, line: number): (Section & { readonly lines: Line[] }) | undefined {
  const [, marks, title = ''] = HEADING.exec(text.trimEnd()) ?? []
  if (marks === undefined) return undefined
  const plain = title.trim().replace(/(?:^|[ \t])#+$/, '')
  return { level: marks === '#' ? 1 : 2, text: plain.trim(), line, lines: [] }
}

/**
 * Divides a Markdown file at its headings of the first and the second level that stand outside of
 * code.
 *
 * @example sectionsOf('# Eval: A\n\n## Query\nHi').sections[1]?.text // 'Query'
 */
export function sectionsOf(text: string): Sections {
  const above: Line[] = []
  const sections: (Section & { readonly lines: Line[] })[] = []
  let open: { readonly fence: Fence; readonly line: number } | undefined
  for (const [index, one] of text.split('\n').entries()) {
    const line = index + 1
    const heading = open ? undefined : headingAt(one, line)
    if (heading) {
      sections.push(heading)
      continue
    }
    const lines = sections.at(-1)?.lines ?? above
    lines.push({ text: one, line })
    const fence = open ? open.fence : fenceOf(one)
    if (open?.fence.closes(one)) open = undefined
    else if (fence) open ??= { fence, line }
  }
  return { above, sections, ...(open && { open: open.line }) }
}

/** A code block of some lines. */
export interface Block extends Line {
  readonly language: string
}

/** The code blocks of some lines, and the lines that stand outside of them. */
export function blocksIn(lines: readonly Line[]): {
  readonly blocks: readonly Block[]
  readonly rest: readonly Line[]
} {
  const blocks: Block[] = []
  const rest: Line[] = []
  let open: { readonly fence: Fence; readonly line: number; readonly texts: string[] } | undefined
  for (const one of lines) {
    if (open?.fence.closes(one.text)) {
      const { fence, line, texts } = open
      blocks.push({ language: fence.language, text: texts.join('\n'), line })
      open = undefined
    } else if (open) {
      const { indent } = open.fence
      const margin = Math.min(indent, one.text.length - one.text.trimStart().length)
      open.texts.push(one.text.slice(margin))
    } else {
      const fence = fenceOf(one.text)
      if (fence) open = { fence, line: one.line + 1, texts: [] }
      else rest.push(one)
    }
  }
  return { blocks, rest }
}
