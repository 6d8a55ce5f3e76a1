/**
 * Everything goes wrong at once, from one seed, and every promise is held against what clients saw
 * on the way (`checker.ts`).
 */

import { expect, test } from 'vitest'
import { accountOf, campaign, summaryOf } from './campaign.ts'
import { isWhole, newRandom, Random } from '../support/random.ts'

const { seed } = newRandom()
const SECONDS = isWhole() ? 90 : 8
const minute = 60_000

test.each(['pglite', 'postgres'] as const)(
  'on %s',
  async (database) => {
    const outcome = await campaign({ random: new Random(seed), database, ms: SECONDS * 1_000 })
    process.stdout.write(`\n${summaryOf(outcome.history)}\n`)
    expect(
      outcome.violations.length,
      outcome.violations.length === 0 ? '' : await accountOf(outcome),
    ).toBe(0)
  },
  6 * minute + SECONDS * 1_000,
)
