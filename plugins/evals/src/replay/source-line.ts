import type { FileChange } from '../change/file-changes.ts'
import type { TextChange } from './text-change.ts'

/** A line of an agent's file. */
export interface SourceLine {
  readonly file: string
  /** From 1; of the changed file, or of the removed one. */
  readonly line: number
}

interface Candidate extends SourceLine {
  readonly score: number
}

/**
 * The line of a changed file that a difference in a request comes from.
 *
 * @param files those that differ
 * @param likely paths that the part of the request is made of
 * @returns the line with the text of the difference, else the first line that differs; `undefined`
 *   where no file differs
 */
export function sourceLine(
  change: TextChange | undefined,
  files: readonly FileChange[],
  likely: readonly string[] = [],
): SourceLine | undefined {
  const candidates = files.flatMap((file) => candidatesIn(file, change, likely.includes(file.path)))
  const best = candidates.reduce<Candidate | undefined>(
    (found, one) => (found && found.score >= one.score ? found : one),
    undefined,
  )
  return best && { file: best.file, line: best.line }
}

function candidatesIn(
  { after, before, path }: FileChange,
  change: TextChange | undefined,
  isLikely: boolean,
): readonly Candidate[] {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const { first, oldEnd, freshEnd } = regionOf(old, fresh)
  const isRemoval = freshEnd === first
  const [lines, end] = isRemoval ? [old, oldEnd] : [fresh, freshEnd]
  const others = new Set(isRemoval ? fresh : old)
  const words = isRemoval ? change?.word.before : change?.word.after
  const text = (isRemoval ? change?.line.before : change?.line.after)?.trim()
  const region = lines.slice(first, Math.max(end, first + 1))
  return region.map((line, index) => ({
    file: path,
    line: first + index + 1,
    score: scoreOf(line, words, text) + (others.has(line) ? 0 : 2) + (isLikely ? 1 : 0),
  }))
}

function scoreOf(line: string, words: string | undefined, text: string | undefined): number {
  const own = line.trim()
  if (own === '' || text === undefined) return 0
  if (own === text) return 16
  const hasWords = words !== undefined && words !== '' && line.includes(words)
  // A line of a paragraph, or a field of the frontmatter that is a part of a line of the prompt.
  if (hasWords) return text.includes(own) || own.includes(text) ? 12 : 8
  return text.includes(own) ? 4 : 0
}

const linesOf = (text: string | undefined): readonly string[] =>
  text === undefined ? [] : text.split('\n')

/** Between what is the same at the beginning and at the end. */
function regionOf(old: readonly string[], fresh: readonly string[]) {
  let first = 0
  while (first < Math.min(old.length, fresh.length) && old[first] === fresh[first]) first++
  let [oldEnd, freshEnd] = [old.length, fresh.length]
  while (oldEnd > first && freshEnd > first && old[oldEnd - 1] === fresh[freshEnd - 1]) {
    oldEnd--
    freshEnd--
  }
  return { first, oldEnd, freshEnd }
}
