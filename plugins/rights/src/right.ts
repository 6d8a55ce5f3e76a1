/** How far a right goes, from nothing to everything. */
export const LEVELS = ['none', 'masked', 'review', 'confirm', 'allow'] as const
export type Level = (typeof LEVELS)[number]

/** What somebody may do, in one respect. */
export interface Right {
  /** What it is about, with the verb: ``call `POST /refunds` of `books` ``. */
  readonly what: string
  readonly level: Level
  /** There is nothing to ask about: a field is shown or is not. */
  readonly isPlain?: boolean
  /** Its code, or its server, says whether somebody is asked. */
  readonly isOwn?: boolean
  /** Where more is asked for than the level says. */
  readonly conditions?: readonly string[]
  /** Nobody is asked because untrusted text may have caused it. */
  readonly ignoresTaint?: boolean
}

/** By keys that two bundles have in common. */
export type Rights = ReadonlyMap<string, Right>

/** `more`: what was refused, asked about or hidden is so no longer. `other`: neither. */
export type Direction = 'more' | 'less' | 'other'

export interface RightsLine {
  readonly direction: Direction
  readonly text: string
}

/** What changes for somebody from one to the other, in the order of the keys. */
export function linesBetween(before: Rights, after: Rights): readonly RightsLine[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
  return keys.flatMap((key) => {
    const one = before.get(key)
    const other = after.get(key)
    const what = (other ?? one)?.what ?? key
    return difference(what, one ?? NOTHING(what), other ?? NOTHING(what))
  })
}

const NOTHING = (what: string): Right => ({ what, level: 'none' })

function difference(what: string, before: Right, after: Right): readonly RightsLine[] {
  const step = LEVELS.indexOf(after.level) - LEVELS.indexOf(before.level)
  if (step !== 0 || before.isOwn !== after.isOwn) {
    if (after.level === 'none') return [{ direction: 'less', text: `may no longer ${what}` }]
    const earlier = before.level === 'none' ? '' : `; before: ${howOf(before)}`
    const conditions = (after.conditions ?? []).map((one) => `; ${one}`).join('')
    return [
      step >= 0
        ? { direction: 'more', text: `may now ${what} ${howOf(after)}${conditions}${earlier}` }
        : { direction: 'less', text: `may ${what} ${howOf(after)} only${conditions}${earlier}` },
    ]
  }
  if (after.level === 'none') return []
  return [
    ...without(before.conditions, after.conditions).map((condition): RightsLine => ({
      direction: 'more',
      text: `may ${what} without this from now on: ${condition}`,
    })),
    ...without(after.conditions, before.conditions).map((condition): RightsLine => ({
      direction: 'less',
      text: `may ${what} with this from now on: ${condition}`,
    })),
    ...taintLines(what, before, after),
  ]
}

const without = (all: readonly string[] = [], some: readonly string[] = []): readonly string[] =>
  all.filter((one) => !some.includes(one))

function taintLines(what: string, before: Right, after: Right): readonly RightsLine[] {
  const [is = false, was = false] = [after.ignoresTaint, before.ignoresTaint]
  if (is === was) return []
  return is
    ? [
        {
          direction: 'more',
          text: `may ${what} without being asked where untrusted text may have caused it`,
        },
      ]
    : [{ direction: 'less', text: `is asked where untrusted text may cause them to ${what}` }]
}

/** How far the right goes, in words: `after approval`. */
export function howOf({ isOwn = false, isPlain = false, level }: Right): string {
  if (isOwn) return 'with approval where it says so itself'
  switch (level) {
    case 'none':
      return 'not at all'
    case 'masked':
      return 'as a placeholder'
    case 'review':
      return 'after a review'
    case 'confirm':
      return 'after approval'
    case 'allow':
      return isPlain ? 'as it is' : 'without asking'
    default:
      return level satisfies never
  }
}
