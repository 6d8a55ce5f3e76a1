import { candidatesAt } from './account-candidates.ts'
import { isCardShape } from './card.ts'
import { IBAN_BEGIN } from './iban.ts'
import { countDigits, type Group, partAt } from './numbers.ts'

const SSN_SHAPES: ReadonlySet<string> = new Set(['9', '3-2-4'])

/** Where something ends that begins with a group and has the form of a card or an SSN. */
export function endOfOther(groups: readonly Group[], index: number): number | undefined {
  for (const count of groups[index]?.joint === undefined ? ALONE : TOGETHER) {
    const digits = countDigits(groups, index, count)
    const chain = digits >= LEAST && digits <= MOST ? partAt(groups, index, count) : undefined
    if (chain && (SSN_SHAPES.has(chain.shape) || isCardShape(chain.shape))) return chain.end
  }
  return undefined
}

/** Of the social security, and of the longest card. */
const LEAST = 9
const MOST = 19
const ALONE = [1]
const TOGETHER = [5, 4, 3, 2, 1]

/**
 * Whether a text may hold a number of a person or a bank, by the form of its numbers alone. Nearly
 * all numbers have another one, so most texts need no closer look.
 *
 * @param groups of the text
 */
export const mayHoldNumbers = (text: string, groups: readonly Group[]): boolean =>
  text.search(IBAN_BEGIN) !== -1 ||
  groups.some(
    (_, index) =>
      candidatesAt(groups, index).next().done === false || endOfOther(groups, index) !== undefined,
  )
