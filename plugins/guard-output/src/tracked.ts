import type { RedactedValue } from '@amodal/sdk'
import { normalise, type NormalisedText } from './normalise.ts'

/** A value to look for, in one of the orders it may be written in. */
export interface Needle {
  readonly value: RedactedValue
  readonly key: string
  readonly reversed: boolean
  /** Places in `key` where the value itself has something between two characters. */
  readonly joints: ReadonlySet<number>
  readonly kind: 'number' | 'words' | 'mixed'
  /** Found only where the text speaks of its entity. */
  readonly name: boolean
  readonly single: boolean
}

/**
 * Shorter values would match everywhere, and reveal nothing.
 */
const LEAST = 4
const LEAST_NAME = 2
const LEAST_REVERSED = 6
/** Words that are shorter may be any words: they are looked for as a name is. */
const LEAST_WORD = 9
const MOST_NAMES = 4
/** What stands in a field where nothing is to be said, without spaces. */
const SAY_NOTHING: ReadonlySet<string> = new Set([
  'none',
  'null',
  'undefined',
  'unknown',
  'notavailable',
  'notapplicable',
  'notprovided',
  'notspecified',
  'notset',
  'notrecorded',
  'tobedetermined',
  'tobeconfirmed',
  'nodata',
  'true',
  'false',
])

const made = new WeakMap<RedactedValue, readonly Needle[]>()

/**
 * How a value may stand in a text: as it is, its parts in another order where it is a name, and
 * reversed.
 */
export function needlesOf(value: RedactedValue): readonly Needle[] {
  const known = made.get(value) ?? makeNeedles(value)
  made.set(value, known)
  return known
}

function makeNeedles(value: RedactedValue): readonly Needle[] {
  const isName = value.sensitivity === 'pii_name'
  const normalised = normalise(value.value)
  const key = normalised.chars
  if (key.length < (isName ? LEAST_NAME : LEAST) || SAY_NOTHING.has(key)) return []
  const lettered = /^\D+$/.test(key) ? 'words' : 'mixed'
  const kind = /^\d+$/.test(key) ? 'number' : lettered
  const words =
    kind === 'words' ? value.value.split(/[\s,]+/).filter((word) => /[\p{L}\p{N}]/u.test(word)) : []
  const isWord =
    kind === 'words' && key.length < LEAST_WORD && value.sensitivity !== 'pii_identifier'
  const name = isName ? !/[\d@]/.test(value.value) : isWord
  const spellings =
    isName && name && words.length > 1 && words.length <= MOST_NAMES
      ? [
          value.value,
          [words.at(-1), ...words.slice(0, -1)].join(' '),
          [...words].reverse().join(' '),
        ]
      : [value.value]
  const common = { value, reversed: false, kind, name, single: words.length === 1 } as const
  const forward = [...new Set(spellings)].map((spelling): Needle => {
    const own = spelling === value.value ? normalised : normalise(spelling)
    return { ...common, key: own.chars, joints: jointsOf(own) }
  })
  const [first] = forward
  if (!first || key.length < LEAST_REVERSED) return forward
  const back = [...key].reverse().join('')
  const joints = new Set([...first.joints].map((joint) => key.length - joint))
  return back === key ? forward : [...forward, { ...first, key: back, joints, reversed: true }]
}

function jointsOf({ starts, ends }: NormalisedText): ReadonlySet<number> {
  return new Set(
    starts.flatMap((start, index) =>
      index > 0 && start > (ends[index - 1] ?? start) ? [index] : [],
    ),
  )
}
