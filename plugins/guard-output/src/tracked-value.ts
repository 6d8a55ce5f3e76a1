import type { RedactedValue } from '@amodal/sdk'
import { fold, foldedText } from './fold.ts'
import { normalise } from './normalise.ts'

/** A redacted value in one of the spellings it is looked for in. */
export interface TrackedValue {
  readonly value: RedactedValue
  /** Letters and digits in small letters. */
  readonly key: string
  /** Places in `key` before which the value itself has a space or another sign. */
  readonly joints: ReadonlySet<number>
  readonly kind: 'number' | 'words' | 'mixed'
  /** Found only where the text names what it belongs to. */
  readonly needsContext: boolean
  readonly isSingleWord: boolean
}

/** Shorter values would be found everywhere. */
const SHORTEST = 4
const SHORTEST_NAME = 2
/** One or two words that are shorter may be anybody's words. */
const SHORTEST_SENTENCE = 16
const MOST_NAME_PARTS = 4
/** Literals of data formats. */
const LITERAL = /^(?:true|false|null|none|undefined)$/

/** The spellings of a value: as it is, and the parts of a name in another order. */
export function trackedValues(value: RedactedValue): readonly TrackedValue[] {
  const isName = value.sensitivity === 'pii_name'
  const key = foldedText(normalise(value.value).text)
  if (key.length < (isName ? SHORTEST_NAME : SHORTEST) || LITERAL.test(key)) return []
  const kind = kindOf(key)
  const words = value.value.split(/[\s,]+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
  const isOrdinary =
    kind === 'words' &&
    words.length <= 2 &&
    key.length < SHORTEST_SENTENCE &&
    value.sensitivity !== 'pii_identifier'
  const needsContext = isName ? !/[\d@]/.test(value.value) : isOrdinary
  const spellings =
    isName && words.length > 1 && words.length <= MOST_NAME_PARTS
      ? [value.value, [words.at(-1), ...words.slice(0, -1)].join(' '), words.toReversed().join(' ')]
      : [value.value]
  return [...new Set(spellings)].map((spelling) => ({
    value,
    key: foldedText(normalise(spelling).text),
    joints: jointsOf(spelling),
    kind,
    needsContext,
    isSingleWord: words.length === 1,
  }))
}

function kindOf(key: string): TrackedValue['kind'] {
  if (/^\d+$/.test(key)) return 'number'
  return /\d/.test(key) ? 'mixed' : 'words'
}

function jointsOf(spelling: string): ReadonlySet<number> {
  const { places, length } = fold(normalise(spelling).text)
  const joints = new Set<number>()
  for (let index = 1; index < length; index++)
    if ((places[index] ?? 0) > (places[index - 1] ?? 0) + 1) joints.add(index)
  return joints
}
