import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CASES, judge, type Tier } from './cases.ts'
import { startGuarded, type Guarded } from './guarded.ts'

/**
 * Stricter than the table, on purpose: an operation that cannot be read may be any mutation, so
 * that what covers every mutation covers it, too; the table takes it for an unlisted write.
 */
const STRICTER = ['graphql-rules/bulk-unreadable']

let guarded: Guarded
beforeAll(async () => {
  guarded = await startGuarded(CASES)
})
afterAll(async () => {
  await guarded[Symbol.asyncDispose]()
})

describe('the table, from files through the tool to the guard', () => {
  test('all its connections are read, without a complaint', () => {
    expect(guarded.issues.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(guarded.count).toBeGreaterThan(30)
  })

  test('nothing is under-classified, and nothing over', async () => {
    const wrong: Record<'under' | 'over', string[]> = { under: [], over: [] }
    for (const one of CASES) {
      const { base, access, authHeader, request, delegated = false, context = {} } = one
      const { tier, reasons } = await guarded.decide(
        { base, access, ...(authHeader !== undefined && { authHeader }) },
        request,
        { delegated, context },
      )
      const { verdict } = judge(one, (): Tier => tier)
      if (verdict !== 'right')
        wrong[verdict].push(
          `${one.id}: ${tier} instead of ${one.tier} (${one.because}; ${reasons})`,
        )
    }
    expect(wrong.under).toEqual([])
    expect(
      wrong.over.filter((line) => !STRICTER.includes(line.slice(0, line.indexOf(':')))),
    ).toEqual([])
    expect(wrong.over).toHaveLength(STRICTER.length)
  }, 60_000)
})
