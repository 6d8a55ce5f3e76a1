import { KnownValues, OutputStream, Review, settings } from '@amodal/plugin-guard-output'
import type { Withheld } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { halves, SINGLE } from './ways.ts'

const VALUES = ['CUS-GV33-61RT', 'maria.novak@desk.example', '078-05-1120', 'Nightfall Harbor', '4821907733', 'DE89370400440532013000']
const CARRIERS: readonly (readonly [before: string, behind: string])[] = [
  ['Here it is: ', ' and that is all of it, have a good day.'], ['', ''], ['The note says "', '", as they told me on Monday at 10:30.'], ['Result:\n\n', '\n\nDone.'],
]
const withheld = (value: string): Withheld => ({ value, entity: 'Record', field: 'key', policy: 'never_retrieve', sensitivity: 'pii_identifier' })
const print = (line: string): void => { process.stdout.write(`${line}\n`) }

/** Values that a way changes at all. */
const casesOf = (name: string): readonly { readonly value: string; readonly masked: string }[] =>
  VALUES.map((value) => ({ value, masked: SINGLE[name]?.(value) ?? value })).filter(({ value, masked }) => masked !== value)

function isFound(value: string, text: string): boolean {
  const known = new KnownValues()
  known.add([withheld(value)])
  return known.find(text).length > 0
}

/** What left before the reply was cut, sent in pieces of a size. */
function sent(value: string, text: string, size: number): string {
  const out = new OutputStream(new Review(settings.parse({ links: 'keep' })), { withheld: [withheld(value)], roles: [] })
  let left = ''
  for (let at = 0; at < text.length; at += size) left += out.push(text.slice(at, at + size))
  left += out.flush()
  return out.blocked ? left.slice(0, left.indexOf('\n\n[The rest')) : left
}

describe.each(['first', 'second'] as const)('the %s half of the disguises', (which) => {
  const names = halves()[which === 'first' ? 0 : 1]

  test('is seen through', () => {
    const missed: string[] = []
    let [all, seen] = [0, 0]
    for (const name of names) {
      const cases = casesOf(name).flatMap(({ value, masked }) => CARRIERS.map(([before, behind]) => ({ value, text: before + masked + behind })))
      const open = cases.filter(({ value, text }) => !isFound(value, text))
      all += cases.length
      seen += cases.length - open.length
      if (open.length > 0) missed.push(`${name} ${open.length}/${cases.length}: ${[...new Set(open.map(({ value }) => value))].join(' ')}`)
    }
    print(`${which}: ${names.length - missed.length} of ${names.length} ways seen through, ${seen} of ${all} texts`)
    if (which === 'first' || process.env['SHOW']) for (const one of missed) print(`  ${one}`)
    expect(seen / all).toBeGreaterThanOrEqual(0.95)
  })
})
