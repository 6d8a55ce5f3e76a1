/** A part of a document that is found by itself. */
export interface Passage {
  /** The headings that it stands under, such as `Refunds › Annual plans`; empty above the first. */
  readonly heading: string
  readonly text: string
}

/** Characters of a passage; a longer paragraph is cut. */
const LONGEST = 1_000
const FENCE = /^ {0,3}(```+|~~~+)/
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/
/** Between headings of a path. */
const PATH = ' › '

/**
 * Cuts a Markdown document into passages: a new one at each heading, and after a paragraph once a
 * passage is long. A document without text has one empty passage, so that its title can be found.
 *
 * @example
 * passagesOf('Intro.\n\n## Refunds\n\nWithin 30 days.')
 * // [{ heading: '', text: 'Intro.' }, { heading: 'Refunds', text: 'Within 30 days.' }]
 */
export const passagesOf = (markdown: string): readonly Passage[] =>
  joined(blocksOf(markdown), '\n\n')

/** The same for lines that are no Markdown, such as the fields of a record. */
export const passagesOfLines = (lines: readonly string[]): readonly Passage[] =>
  joined(
    lines.map((text) => ({ heading: '', text })),
    '\n',
  )

/** Joins neighbours below the same heading while they are short, and cuts what is long. */
function joined(blocks: readonly Passage[], separator: string): readonly Passage[] {
  const passages: Passage[] = []
  for (const { heading, text } of blocks) {
    const last = passages.at(-1)
    if (last?.heading === heading && last.text.length + separator.length + text.length <= LONGEST) {
      passages[passages.length - 1] = { heading, text: `${last.text}${separator}${text}` }
    } else for (const piece of cut(text)) passages.push({ heading, text: piece })
  }
  return passages.length === 0 ? [{ heading: '', text: '' }] : passages
}

/** Paragraphs, each with the headings that it stands under. */
function blocksOf(markdown: string): readonly Passage[] {
  const blocks: Passage[] = []
  const path: string[] = []
  let lines: string[] = []
  let fence: string | undefined
  const heading = (): string => path.filter((title) => title !== '').join(PATH)
  const end = (): void => {
    const text = lines.join('\n').trim()
    lines = []
    if (text !== '') blocks.push({ heading: heading(), text })
  }
  for (const line of markdown.split(/\r?\n/)) {
    const [, mark] = FENCE.exec(line) ?? []
    if (mark !== undefined) {
      if (fence === undefined) fence = mark
      else if (mark.startsWith(fence)) fence = undefined
    }
    const [, level, title = ''] = (fence === undefined && HEADING.exec(line)) || []
    if (level !== undefined) {
      end()
      path.length = Math.min(path.length, level.length - 1)
      while (path.length < level.length - 1) path.push('')
      path.push(title)
    } else if (fence === undefined && line.trim() === '') end()
    else lines.push(line)
  }
  end()
  return blocks
}

/** Pieces of a text that are short enough, cut where a sentence, a line or a word ends. */
function cut(text: string): readonly string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > LONGEST) {
    const at = placeToCut(rest)
    pieces.push(rest.slice(0, at).trimEnd())
    rest = rest.slice(at).trimStart()
  }
  return [...pieces, rest]
}

const ENDS = [/[.!?。！？]\s|[。！？]|\n/g, /\s/g]

function placeToCut(text: string): number {
  const start = text.slice(0, LONGEST)
  for (const end of ENDS) {
    const last = [...start.matchAll(end)].at(-1)
    if (last && last.index > LONGEST / 2) return last.index + last[0].length
  }
  const isHighSurrogate = /[\ud800-\udbff]$/.test(start)
  return isHighSurrogate ? LONGEST - 1 : LONGEST
}
