import type { PersonalNumber } from '@amodal/sdk'
import { KINDS } from './number-kind.ts'
import { scan } from './scan.ts'
import { ValueIndex } from './value-index.ts'
import { Work } from './work.ts'

const NO_VALUES = new ValueIndex()

/**
 * Numbers and addresses of every kind in a text, whatever is redacted in it.
 *
 * @returns `undefined` where the text takes too much work to look at
 * @example personalNumbers('Write to ann@acme.com') // [{ kind: 'email', start: 9, end: 21 }]
 */
export function personalNumbers(text: string): readonly PersonalNumber[] | undefined {
  const work = Work.forText(text)
  const { numbers } = scan(text, { index: NO_VALUES, kinds: KINDS, work })
  if (work.exceeded) return undefined
  const separate: PersonalNumber[] = []
  for (const one of numbers.toSorted((a, b) => a.start - b.start || b.end - a.end))
    if (one.start >= (separate.at(-1)?.end ?? 0)) separate.push(one)
  return separate
}
