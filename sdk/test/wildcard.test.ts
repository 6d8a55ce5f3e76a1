import { matchesWildcard } from '@amodal/sdk'
import { expect, test } from 'vitest'

test.each([
  ['*', 'anything', true],
  ['*', '', true],
  ['request', 'request', true],
  ['request', 'request2', false],
  ['', '', true],
  ['github__*', 'github__x', true],
  ['github__*', 'github__', true],
  ['github__*', 'gitlab__x', false],
  ['*_issue', 'create_issue', true],
  ['a*b*c', 'axxbxxc', true],
  ['a*b*c', 'abc', true],
  ['a*b*c', 'ac', false],
  ['aa*aa', 'aaa', false],
  ['a**b', 'ab', true],
  ['a.c', 'abc', false],
])('%s and %s: %s', (pattern, name, fits) => expect(matchesWildcard(pattern, name)).toBe(fits))

test(
  'takes no longer for a pattern that a backtracking matcher would choke on',
  { tags: 'speed' },
  () => {
    const begun = performance.now()
    expect(matchesWildcard('*a'.repeat(5_000), 'a'.repeat(20_000))).toBe(true)
    expect(matchesWildcard('*a'.repeat(5_000), `${'a'.repeat(20_000)}b`)).toBe(false)
    expect(performance.now() - begun).toBeLessThan(1_000)
  },
)
