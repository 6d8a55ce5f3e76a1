import { describe, expect, test } from 'vitest'
import { CASES, judge, RULES, TIERS } from './cases.ts'

const count = <K>(keys: readonly K[]): ReadonlyMap<K, number> => {
  const counts = new Map<K, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
const everyday = CASES.filter(({ group }) => group.startsWith('everyday-'))

describe('the table of access cases', () => {
  test('holds at least 340 cases, each under a name of its own', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(340)
    expect([...count(CASES.map(({ id }) => id))].filter(([, times]) => times > 1)).toEqual([])
  })

  test('asks no question twice', () => {
    // JSON writes NaN as null, which is another question.
    const question = ({
      base,
      authHeader,
      access,
      request,
      delegated = false,
      context,
    }: (typeof CASES)[number]): string =>
      JSON.stringify(
        { base, authHeader, access, request, delegated, context },
        (_, value: unknown) => (Number.isNaN(value) ? 'not a number' : value),
      )
    const byQuestion = Map.groupBy(CASES, question)
    expect(
      [...byQuestion.values()]
        .filter((same) => same.length > 1)
        .map((same) => same.map(({ id }) => id)),
    ).toEqual([])
  })

  test.each(RULES)('puts rule %i to the test, ten times and more', (rule) => {
    expect(CASES.filter((one) => one.rule === rule).length).toBeGreaterThanOrEqual(10)
  })

  test.each(TIERS)('expects %s often enough to notice a guard that never says it', (tier) => {
    expect(CASES.filter((one) => one.tier === tier).length).toBeGreaterThanOrEqual(40)
  })

  test('has at least 60 everyday cases, which leave no room on either side', () => {
    expect(everyday.length).toBeGreaterThanOrEqual(60)
    expect(everyday.filter(({ orStricter }) => orStricter).map(({ id }) => id)).toEqual([])
    expect(everyday.filter(({ tier }) => tier === 'refused').map(({ id }) => id)).toEqual([])
    expect(
      everyday.filter(({ tier }) => tier === 'allow' || tier === 'confirm').length,
    ).toBeGreaterThanOrEqual(60)
  })

  test('leaves room for a stricter answer in one case of ten at most', () => {
    expect(CASES.filter(({ orStricter }) => orStricter).length).toBeLessThanOrEqual(
      CASES.length / 10,
    )
  })

  test('says of every case why', () => {
    expect(CASES.filter(({ because }) => because.trim().length < 5).map(({ id }) => id)).toEqual([])
  })

  test('has well-formed rules: a known method and a path, or a kind of operation and a name', () => {
    const wellFormed =
      /^(?:(?:GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE|\*) \/\S.*|(?:QUERY|MUTATION|SUBSCRIPTION) (?:\*|\w+))$/i
    const rules = CASES.flatMap(({ access }) => Object.keys(access.endpoints ?? {}))
    expect(rules.filter((rule) => !wellFormed.test(rule))).toEqual([])
  })

  test('has thresholds on paths that mean something', () => {
    const thresholds = CASES.flatMap(({ access }) => Object.values(access.endpoints ?? {})).flatMap(
      (rule) => rule.thresholds ?? [],
    )
    expect(
      thresholds.filter(
        ({ field }) =>
          !/^(?:body(?:\.[\w-]+|\[\d*\])+|(?:query|params|path|headers)\.[\w-]+)$/.test(field),
      ),
    ).toEqual([])
    expect(
      thresholds.filter(
        ({ above, below, equals }) =>
          above === undefined && below === undefined && equals === undefined,
      ),
    ).toEqual([])
  })

  test('has bases that are addresses', () => {
    expect(CASES.filter(({ base }) => !URL.canParse(base)).map(({ id }) => id)).toEqual([])
  })
})

describe('judging an answer', () => {
  const [confirmed] = CASES.filter(
    ({ tier, orStricter }) => tier === 'confirm' && orStricter !== true,
  )
  const [lenient] = CASES.filter(
    ({ tier, orStricter }) => tier === 'confirm' && orStricter === true,
  )

  test.each([
    ['allow', 'under', 'under'],
    ['confirm', 'right', 'right'],
    ['review', 'over', 'right'],
    ['refused', 'over', 'right'],
  ] as const)(
    '%s for confirm is %s, and %s where a stricter answer is right, too',
    (answer, exact, wide) => {
      expect(judge(confirmed!, () => answer)).toEqual({ verdict: exact, answer })
      expect(judge(lenient!, () => answer)).toEqual({ verdict: wide, answer })
    },
  )

  test.each(TIERS)('a guard that always says %s is found out', (tier) => {
    const verdicts = count(CASES.map((one) => judge(one, () => tier).verdict))
    expect(verdicts.get('right') ?? 0).toBeLessThan(CASES.length / 2)
  })

  test('passes on the whole question', () => {
    const one = CASES.find(({ authHeader }) => authHeader !== undefined)!
    judge(one, (connection, request, facts) => {
      expect(connection).toEqual({ base: one.base, access: one.access, authHeader: one.authHeader })
      expect(request).toBe(one.request)
      expect(facts).toEqual({ delegated: false, context: {} })
      return one.tier
    })
    expect.assertions(3)
  })
})
