import type { Chosen } from './chosen.ts'
import type { Corpus, Source } from './corpus.ts'
import { normal, numberIn } from './normal.ts'
import type { Known } from './taint.ts'

/**
 * Whether a value occurs verbatim in trusted text: of a person, the agent's files or the tool's
 * schema. A path is checked part by part.
 */
export function isTrustedValue(
  { field, value }: Chosen,
  { own, session: { person }, constants }: Known,
): boolean {
  if (typeof value === 'number')
    return (
      constants.offered.has(String(value)) ||
      person.findNumber(value) !== undefined ||
      own.findNumber(value) !== undefined
    )
  if (constants.offered.has(normal(value))) return true
  const number = field === 'path' ? undefined : numberIn(value)
  const said = (text: string): boolean =>
    person.find(text) !== undefined ||
    (number === undefined ? own.find(text) : own.findNumber(Number(number))) !== undefined
  return (
    spellings(value).some(said) ||
    (isPath(value) &&
      value
        .split('/')
        .filter((part) => part !== '')
        .every(said))
  )
}

const isPath = (value: string): boolean =>
  value.includes('/') && !value.includes('://') && !/\s/.test(value)

/** An address with and without what people leave out of one. */
export function spellings(value: string): readonly string[] {
  const url = /^https?:\/\//i.test(value) ? URL.parse(value) : null
  if (!url) return [value]
  const bare = value.replace(/#.*$/s, '').replace(/\/$/, '')
  const href = url.href.replace(/#.*$/s, '').replace(/\/$/, '')
  return [
    ...new Set(
      [bare, href]
        .flatMap((one) => [one, decoded(one)])
        .flatMap((one) => [one, one.replace(/^https?:\/\//i, '')]),
    ),
  ]
}

const decoded = (text: string): string => {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}

/** The newest result that has a value. */
export function sourceOf(
  value: string | number,
  { session: { outside }, described }: Known,
): Source | undefined {
  const number = typeof value === 'number' ? value : undefined
  const texts = number === undefined ? spellings(String(value)) : []
  const find = (corpus: Corpus): Source | undefined =>
    number === undefined
      ? texts.map((one) => corpus.find(one)).find((one) => one !== undefined)
      : corpus.findNumber(number)
  return find(outside) ?? find(described)
}
